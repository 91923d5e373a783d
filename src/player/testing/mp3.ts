import { writeAudioFile } from '#server/audio/audio-file.ts';

/** Encodes samples as the local server does: 128 kbit/s, one channel. */
export async function mp3Of(samples: Int16Array, sampleRate: number): Promise<Uint8Array<ArrayBuffer>> {
  const blocks = (async function* () {
    yield { samples, words: [] };
  })();
  return (await writeAudioFile(blocks, 'mp3', sampleRate)).bytes;
}

/** A tone that swells and falls like syllables, loud enough for an encoder to keep it. */
export const toneSyllables = (count: number, sampleRate: number, hertz = 440): Int16Array =>
  Int16Array.from({ length: count }, (_, at) => {
    const s = at / sampleRate;
    return Math.round(9000 * Math.sin(2 * Math.PI * hertz * s) * Math.sin(2 * Math.PI * 4 * s) ** 2);
  });
