import { elevenLabsStream } from '#protocol/elevenlabs/stream.ts';

const ID_CHARS = 20;

/** The form of the vendor's voice ids. */
export const VOICE_IDS = {
  exampleVoices: elevenLabsStream.exampleVoices,
  form: (digest: Buffer): string =>
    digest
      .toString('base64')
      .replace(/[^\dA-Za-z]/g, '')
      .slice(0, ID_CHARS),
};
