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
  type Line,
  record,
  type Speaker,
  speedsOf,
  startSpeaking,
  VOICES_AND_LANGUAGES,
  type VoiceAndLanguage,
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
    const voices = VOICES_AND_LANGUAGES.filter((one) => canSpeak(endpoint.id, one));
    const count = isWhole ? voices.length * formats.length : Math.max(voices.length, formats.length);
    return Array.from({ length: count }, (_, at): Speaker[] => {
      const one = voices[at % voices.length];
      const format = formats[isWhole ? Math.floor(at / voices.length) : at % formats.length];
      return one && format ? [{ endpoint: endpoint.id, ...one, format }] : [];
    }).flat();
  });
}

/** Speakers at each other speed of an endpoint, and of sessions with several voices. */
const VARIED = 6;

/**
 * Further speakers of the corpus: some voices of each endpoint at other speeds, and groups of voices in one session. The
 * voices are those that differ most in the catalogue's order.
 */
export function variedSpeakersOf(): Speaker[] {
  return ENDPOINTS.flatMap((endpoint) => {
    const formats = formatsOf(endpoint);
    const voices = VOICES_AND_LANGUAGES.filter((one) => canSpeak(endpoint.id, one));
    const nth = <T>(values: readonly T[], at: number): T => values[at % values.length] as T;
    const speaker = (at: number): Speaker => ({
      endpoint: endpoint.id,
      ...nth(voices, at),
      format: nth(formats, at),
    });
    const stride = Math.max(1, Math.floor(voices.length / VARIED));
    return Array.from({ length: VARIED }, (_, index) => index * stride).flatMap((at) => [
      ...speedsOf(endpoint).map((speed, index) => ({ ...speaker(at + index), speed })),
      { ...speaker(at), others: [nth(voices, at + stride), nth(voices, at + 2 * stride)] },
    ]);
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
      if (kept) return { ...speaker, ...(deserialize(kept) as Pick<CleanSession, 'entries'>) };
      this.#server ??= startSpeaking();
      const session = await record(await this.#server, speaker, linesOf(speaker));
      await mkdir(this.#folder, { recursive: true });
      await writeFile(path, serialize({ entries: session.entries }));
      return session;
    });
  }

  async end(): Promise<void> {
    await (await this.#server)?.stop();
  }
}

const nameOf = (speaker: Speaker): string =>
  [
    speaker.endpoint,
    speaker.voice.handle,
    speaker.language,
    formatName(speaker).replaceAll(' ', '-'),
    ...(speaker.speed === undefined ? [] : [speaker.speed]),
    ...(speaker.others ?? []).flatMap(({ voice, language }) => [voice.handle, language]),
  ].join('.');

/** Every text of one voice. Several voices take turns, and at last the first one speaks alone for three turns. */
function linesOf({ others = [], ...speaker }: Speaker): Line[] {
  const { voice, language } = speaker;
  const texts = TEXTS[language] ?? [];
  if (others.length === 0)
    return (voice.languages[0] === language ? [...texts, voice.sampleText] : texts).map((text) => ({
      voice,
      language,
      text,
    }));
  const lines = (one: VoiceAndLanguage): Line[] =>
    (TEXTS[one.language] ?? []).map((text) => ({ ...one, text }));
  const all = [speaker, ...others].map(lines);
  return [...[0, 1].flatMap((at) => all.flatMap((of) => of[at] ?? [])), ...lines(speaker)];
}
