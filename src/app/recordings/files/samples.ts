/** A recording that comes with the page, made by `npm run samples`. */
export interface Sample {
  /** In `public/recordings/`. */
  file: string;
  /** Name of the recording in the file. */
  title: string;
  hint: string;
}

export const SAMPLES: readonly Sample[] = [
  {
    file: 'one-voice.voicewire.ndjson.gz',
    title: 'One voice, streamed text',
    hint: 'One context: a model writes, chunks are spoken while it does, each word has its time.',
  },
  {
    file: 'barge-in.voicewire.ndjson.gz',
    title: 'Barge-in',
    hint: 'A turn is cancelled while it is spoken, and another one begins.',
  },
  {
    file: 'three-speakers.voicewire.ndjson.gz',
    title: 'Three speakers on one socket',
    hint: 'Each speaks on a context of its own, which is opened, closed and billed.',
  },
  {
    file: 'described-voice.voicewire.ndjson.gz',
    title: 'A described voice, binary audio',
    hint: 'A voice in words, audio as bytes, no word on when a chunk begins.',
  },
  {
    file: 'characters.voicewire.ndjson.gz',
    title: 'Characters, and a connection for each turn',
    hint: 'The times of characters become words, and the next connection opens while this one delivers.',
  },
  {
    file: 'two-voices.voicewire.ndjson.gz',
    title: 'Two voices, a connection each',
    hint: 'The address names the voice, and each turn is a context of its own.',
  },
  {
    file: 'no-words.voicewire.ndjson.gz',
    title: 'Bytes, and a count for each flush',
    hint: 'No times of words and no chunks: the page estimates, and says so.',
  },
  {
    file: 'what-was-heard.voicewire.ndjson.gz',
    title: 'What was heard of an interrupted turn',
    hint: 'The server tells what was spoken before the barge-in, beside what our own clock says.',
  },
  {
    file: 'contexts-of-turns.voicewire.ndjson.gz',
    title: 'Two voices, a context for each turn',
    hint: 'Every message repeats voice and format, and words come between the audio.',
  },
  {
    file: 'broken-rules.voicewire.ndjson.gz',
    title: 'A client that breaks rules',
    hint: 'What a server refuses, and what it lets pass at a price.',
  },
];
