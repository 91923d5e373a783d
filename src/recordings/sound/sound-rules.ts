import { advice, inGroup, warning } from '#protocol/lint/rule-book.ts';

/** The rules of what is heard. They apply to the sound of every endpoint, after decoding. */
export const SOUND_RULES = inGroup('sound', {
  'silent-turn': warning('Turn without audible sound', 'sound-silence-1', {
    why: 'The server sent audio, but nothing in it reaches −50 dBFS. Listeners hear nothing.',
  }),
  'silent-chunk': warning('Chunk without audible sound', 'sound-silence-1', {
    why: 'The text of the chunk was not spoken, although its audio arrived.',
  }),
  'leading-silence': advice('More than 0.5 s of silence before the first sound', 'sound-silence-2', {
    why: 'Listeners wait for this time, although the audio has arrived.',
  }),
  'trailing-silence': advice('More than 0.8 s of silence after the last sound', 'sound-silence-2', {
    why: 'The turn seems to go on, so that an agent answers later by this time.',
  }),
  'dead-air': warning('Silence inside a turn', 'sound-silence-3', {
    why: 'More than 0.8 s inside a sentence, or 2 s after one, sounds like a lost connection.',
  }),
  'click-at-seam': warning('Click between two audio frames', 'sound-seam-1', {
    why: 'The samples jump further than the speech around them, which is heard as a click.',
  }),
  'repeat-at-seam': warning('Stretch that is played twice', 'sound-seam-2', {
    why: 'The samples after a seam are those before it again, so that speech stutters.',
  }),
  'skip-at-seam': warning('Missing stretch', 'sound-seam-3', {
    why: 'The audio of a chunk is shorter than the server says, so that a part of the speech is missing.',
  }),
  clipping: warning('Clipped samples', 'sound-level-1', {
    why: 'Peaks were cut off before the audio was encoded, which is heard as distortion.',
  }),
  'true-peak': advice('True peak above full scale', 'sound-level-2', {
    why: 'Between two samples the wave exceeds full scale, so that converters and codecs distort it.',
  }),
  'dc-offset': advice('Sound beside the zero line', 'sound-level-3', {
    why: 'A constant offset takes headroom, and clicks where the turn begins and ends.',
  }),
  'loudness-jump': advice('Turn much louder or quieter than the others', 'sound-level-2', {
    why: 'Listeners reach for the volume. Between voices, the louder one seems to be the better one.',
  }),
  'wrong-speed': warning('Speech at half or double speed', 'sound-form-1', {
    why: 'The samples have another rate than the format names, so that pitch and pace are wrong.',
  }),
  'not-samples': warning('Bytes that are no samples', 'sound-form-2', {
    why: 'Played in the named format, the bytes are loud noise.',
  }),
  'two-channels': warning('Two channels played as one', 'sound-form-3', {
    why: 'The format names one channel, and the samples are those of two in turn, heard at half speed and an octave lower.',
  }),
  'file-header': warning('File header among the samples', 'sound-form-3', {
    why: 'Played as samples, the header of a file is heard as a click, and an odd one shifts all samples behind it.',
  }),
  'word-in-silence': warning('Word that is timed into silence', 'sound-words-1', {
    why: 'Nothing is heard at the time of the word: it was not spoken, or its time is wrong.',
  }),
  'words-off': warning('Word times beside the sound', 'sound-words-1', {
    why: 'Captions, lip movements and the text of an interruption run ahead or behind by more than 150 ms. The words were found in the sound by another voice of the same text.',
  }),
  'words-uncovered': advice('Speech that no word time covers', 'sound-words-1', {
    why: 'Captions stand still while the voice speaks on.',
  }),
  'text-missing': advice('Text that is possibly missing', 'sound-words-3', {
    why: 'These words take far less time than another voice needs for them. Listen there: it is a hint. Single words, repeats and numbers are not judged.',
  }),
});

export type SoundRuleId = keyof typeof SOUND_RULES;
