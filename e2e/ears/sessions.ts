import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import pLimit from 'p-limit';
import { ENDPOINTS } from '#protocol/registry.ts';
import type { RunningServer } from '#server/running-server.ts';
import {
  type CleanSession,
  canSpeak,
  formatName,
  formatsOf,
  record,
  type Speaker,
  startSpeaking,
  VOICES_AND_LANGUAGES,
} from './corpus.ts';
import { TEXTS } from './texts.ts';

/** Connections at a time, because some endpoints wait between a flush and its speech. */
const LANES = 6;

/**
 * Speakers of the corpus: each endpoint in all voices and their languages, with its formats in turn, so that each format has
 * at least one voice. @param isWhole every voice in every format instead
 */
export function speakersOf(isWhole: boolean): Speaker[] {
  return ENDPOINTS.flatMap((endpoint) => {
    const formats = formatsOf(endpoint);
    const voices = VOICES_AND_LANGUAGES.filter((one) => canSpeak({ ...one, endpoint: endpoint.id }));
    const count = isWhole ? voices.length * formats.length : Math.max(voices.length, formats.length);
    return Array.from({ length: count }, (_, at): Speaker[] => {
      const one = voices[at % voices.length];
      const format = formats[isWhole ? Math.floor(at / voices.length) : at % formats.length];
      return one && format ? [{ endpoint: endpoint.id, ...one, format }] : [];
    }).flat();
  });
}

/** Clean sessions, which are recorded once and kept in a folder. */
export class Sessions {
  readonly #folder: string;
  readonly #limit = pLimit(LANES);
  #server: Promise<RunningServer> | null = null;

  /** @param folder of the corpus, which is made where it is missing */
  constructor(folder: string) {
    this.#folder = folder;
  }

  of(speaker: Speaker): Promise<CleanSession> {
    return this.#limit(async () => {
      const path = join(this.#folder, `${nameOf(speaker)}.session`);
      const kept = await readFile(path).catch(() => null);
      if (kept) return { ...speaker, ...(deserialize(kept) as Pick<CleanSession, 'texts' | 'entries'>) };
      this.#server ??= startSpeaking();
      const session = await record(await this.#server, speaker, textsOf(speaker));
      await mkdir(this.#folder, { recursive: true });
      await writeFile(path, serialize({ texts: session.texts, entries: session.entries }));
      return session;
    });
  }

  async end(): Promise<void> {
    await (await this.#server)?.stop();
  }
}

const nameOf = (speaker: Speaker): string =>
  [speaker.endpoint, speaker.voice.handle, speaker.language, formatName(speaker).replaceAll(' ', '-')].join(
    '.',
  );

function textsOf({ voice, language }: Speaker): readonly string[] {
  const texts = TEXTS[language] ?? [];
  return voice.languages[0] === language ? [...texts, voice.sampleText] : texts;
}
