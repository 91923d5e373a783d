import { advice, inGroup, warning } from '#protocol/lint/rule-book.ts';

/** Limits of our own, chosen so that no voice of the local server breaks a rule. */
const SOURCE = 'how sound is judged';
const LOUDNESS = 'ITU-R BS.1770';

/** The rules of what is heard. They apply to the sound of every endpoint, after decoding. */
export const SOUND_RULES = inGroup('sound', {
  'silent-turn': warning('Turn without audible sound', SOURCE, {
    why: 'The server sent audio, but nothing in it reaches −50 dBFS. Listeners hear nothing.',
  }),
  'silent-chunk': warning('Chunk without audible sound', SOURCE, {
    why: 'The text of the chunk was not spoken, although its audio arrived.',
  }),
  'leading-silence': advice('More than 0.5 s of silence before the first sound', SOURCE, {
    why: 'Listeners wait for this time, although the audio has arrived.',
  }),
  'trailing-silence': advice('More than 0.8 s of silence after the last sound', SOURCE, {
    why: 'The turn seems to go on, so that an agent answers later by this time.',
  }),
  'dead-air': warning('Silence inside a turn', SOURCE, {
    why: 'More than 0.8 s inside a sentence, or 2 s after one, sounds like a lost connection.',
  }),
  'click-at-seam': warning('Click between two audio frames', SOURCE, {
    why: 'The samples jump further than the speech around them, which is heard as a click.',
  }),
  'repeat-at-seam': warning('Stretch that is played twice', SOURCE, {
    why: 'The samples after a seam are those before it again, so that speech stutters.',
  }),
  'skip-at-seam': warning('Missing stretch', SOURCE, {
    why: 'The audio of a chunk is shorter than the server says, so that a part of the speech is missing.',
  }),
  clipping: warning('Clipped samples', SOURCE, {
    why: 'Peaks were cut off before the audio was encoded, which is heard as distortion.',
  }),
  'true-peak': advice('True peak above full scale', LOUDNESS, {
    why: 'Between two samples the wave exceeds full scale, so that converters and codecs distort it.',
  }),
  'dc-offset': advice('Sound beside the zero line', SOURCE, {
    why: 'A constant offset takes headroom, and clicks where the turn begins and ends.',
  }),
  'loudness-jump': advice('Turn much louder or quieter than the others', LOUDNESS, {
    why: 'Listeners reach for the volume. Between voices, the louder one seems to be the better one.',
  }),
  'wrong-speed': warning('Speech at half or double speed', SOURCE, {
    why: 'The samples have another rate than the format names, so that pitch and pace are wrong.',
  }),
  'not-samples': warning('Bytes that are no samples', SOURCE, {
    why: 'Played in the named format, the bytes are loud noise.',
  }),
  'two-channels': warning('Two channels played as one', SOURCE, {
    why: 'The format names one channel, and the samples are those of two in turn, heard at half speed and an octave lower.',
  }),
  'file-header': warning('File header among the samples', SOURCE, {
    why: 'Played as samples, the header of a file is heard as a click, and an odd one shifts all samples behind it.',
  }),
  'word-in-silence': warning('Word that is timed into silence', SOURCE, {
    why: 'Nothing is heard at the time of the word: it was not spoken, or its time is wrong.',
  }),
  'words-off': warning('Word times beside the sound', SOURCE, {
    why: 'Captions, lip movements and the text of an interruption run ahead or behind by more than 120 ms.',
  }),
  'words-uncovered': advice('Speech that no word time covers', SOURCE, {
    why: 'Captions stand still while the voice speaks on.',
  }),
});

export type SoundRuleId = keyof typeof SOUND_RULES;
