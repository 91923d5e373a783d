import { EXAMPLE_VOICES } from '#protocol/cartesia/vendor.ts';

/** The form of the vendor's voice ids: a UUID. */
export const VOICE_IDS = {
  exampleVoices: EXAMPLE_VOICES,
  form: (digest: Buffer): string =>
    digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5'),
};
