import { createHash } from 'node:crypto';
import { StartError } from '../environment.ts';
import type { EngineName } from './engine-settings.ts';
import { listServerVoices, namedVoice, type ServerVoice } from './openai/server-voices.ts';
import { SpeechFault } from './openai/speech-fault.ts';
import type { SpeechServerSettings } from './openai/speech-server.ts';
import { LOCAL_CATALOGUE, type VoiceCatalogue } from './voices/voice-catalogue.ts';
import type { Voice } from './voices/voices.ts';
import type { VoiceEntry } from './voices/voices-file.ts';

/** Numbers of voices that are not in `voices.json`. Higher ones are those of created voices. */
const FIRST_ID = 10_000;
const LAST_ID = 99_999;

/** Who speaks in which voice. */
export interface VoiceCast {
  readonly catalogue: VoiceCatalogue['all'];
  /** The voices of the speech server. */
  readonly voices: readonly [ServerVoice, ...ServerVoice[]];
  /** The voices that always speak by the same one of the server, by handle. */
  readonly fixed: ReadonlyMap<string, ServerVoice>;
  /** The voices that name their engine, by handle. */
  readonly engines: ReadonlyMap<string, EngineName>;
}

/** The cast of all voices that the server lists. Throws a StartError. */
export async function listedVoiceCast(server: SpeechServerSettings): Promise<VoiceCast> {
  const listed = await listServerVoices(server).catch((error: unknown) => {
    if (!(error instanceof SpeechFault)) throw error;
    const details = Object.entries(error.fields).map(([name, value]) => `${name} ${value}`);
    const why = [error.message, ...details].join(', ');
    throw new StartError(
      `The voices of VOICEWIRE_OPENAI_URL cannot be listed: ${why}. Name them in a file: VOICEWIRE_VOICES.`,
    );
  });
  if (listed.length === 0) {
    throw new StartError('VOICEWIRE_OPENAI_URL lists no voices. Name them in a file: VOICEWIRE_VOICES.');
  }
  return voiceCastOf(listed.map(entryOf), 'openai', listed);
}

const entryOf = ({ name, sex, languages: [language] }: ServerVoice): VoiceEntry => ({
  voice: name,
  ...(sex !== null && { sex }),
  ...(language !== undefined && { languages: [language] }),
});

/**
 * The cast of the entries of a voices file. Throws a StartError.
 * @param listed what the server says about its voices
 */
export function voiceCastOf(
  entries: readonly VoiceEntry[],
  first: EngineName,
  listed?: readonly ServerVoice[],
): VoiceCast {
  const known = new Map(listed?.map((voice) => [voice.name, voice]));
  const all = new Map<string, Voice>(LOCAL_CATALOGUE.all.map((voice) => [voice.handle, voice]));
  const ids = new Set(LOCAL_CATALOGUE.all.map(({ id }) => id));
  const voices: ServerVoice[] = [];
  const fixed = new Map<string, ServerVoice>();
  const engines = new Map<string, EngineName>();
  for (const entry of entries) {
    const named = entry.handle ?? entry.voice?.replace(/\s+/g, '-');
    if (named === undefined)
      throw new StartError('VOICEWIRE_VOICES: expected a handle or a voice of the speech server.');
    const isOverride =
      entry.handle !== undefined && LOCAL_CATALOGUE.find(entry.handle)?.handle === entry.handle;
    const handle = isOverride ? named : freeHandle(named);
    const engine = entry.engine ?? (entry.voice === undefined ? first : 'openai');
    if (engines.has(handle)) {
      // Names of a list may differ in blanks alone.
      if (listed) continue;
      throw new StartError(`VOICEWIRE_VOICES: ${handle} is there twice.`);
    }
    if (engine === 'espeak' && !isOverride) {
      throw new StartError(
        `VOICEWIRE_VOICES: espeak has no voice ${handle}; expected a handle of the catalogue.`,
      );
    }
    engines.set(handle, engine);
    // Without a name, a voice of the catalogue is spoken by the closest voice of the server.
    if (engine === 'openai' && (entry.voice !== undefined || !isOverride)) {
      const voice = serverVoice(entry, entry.voice ?? named, known);
      voices.push(voice);
      fixed.set(handle, voice);
    }
    all.set(handle, catalogued(entry, handle, all.get(handle), ids));
  }
  const [one, ...others] = voices;
  if (!one) throw new StartError('VOICEWIRE_VOICES: expected at least one voice of the speech server.');
  const [marta, ...rest] = all.values();
  return { catalogue: [marta ?? LOCAL_CATALOGUE.all[0], ...rest], voices: [one, ...others], fixed, engines };
}

/** A handle beside those of the catalogue, and never a number, which would be an id. */
const freeHandle = (named: string): string =>
  LOCAL_CATALOGUE.find(named) || /^\d+$/.test(named) ? `openai-${named}` : named;

function serverVoice(entry: VoiceEntry, name: string, known: ReadonlyMap<string, ServerVoice>): ServerVoice {
  const said = known.get(name) ?? namedVoice(name);
  return {
    name,
    sex: entry.sex ?? said.sex,
    languages: entry.languages ?? said.languages,
    parameters: entry.parameters ?? {},
  };
}

/** The voice of the catalogue that an entry changes or adds. A new one sounds like the closest one where espeak speaks. */
function catalogued(entry: VoiceEntry, handle: string, known: Voice | undefined, ids: Set<number>): Voice {
  const { name, sex, age, languages, description } = entry;
  const byName = namedVoice(entry.voice ?? handle);
  const [language = 'en'] = byName.languages;
  const traits = {
    sex: sex ?? known?.sex ?? byName.sex ?? ('neutral' as const),
    age: age ?? known?.age ?? ('middle_aged' as const),
    languages: languages ?? known?.languages ?? ([language] as const),
  };
  const base = known ?? LOCAL_CATALOGUE.closest(traits);
  const shownName = name ?? known?.name ?? spelledName(entry.voice ?? handle);
  return {
    ...base,
    ...traits,
    id: known?.id ?? freeId(handle, ids),
    handle,
    name: shownName,
    description: description ?? known?.description ?? '',
    sampleText: base.sampleText.replaceAll(base.name, () => shownName),
  };
}

/** `af_heart` as `Heart`. */
const spelledName = (name: string): string => {
  const words =
    name
      .replace(/^[a-z][fm]_/, '')
      .replace(/[_-]+/g, ' ')
      .trim() || name;
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** A number that a handle keeps over restarts, also when other voices come and go. */
function freeId(handle: string, ids: Set<number>): number {
  const hash = createHash('sha256').update(handle).digest().readUInt32BE(0);
  let id = FIRST_ID + (hash % (LAST_ID - FIRST_ID));
  while (ids.has(id)) id = id === LAST_ID ? FIRST_ID : id + 1;
  ids.add(id);
  return id;
}
