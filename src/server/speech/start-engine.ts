import { StartError } from '../environment.ts';
import type { Log } from '../log.ts';
import type { Engine } from './engine.ts';
import type { EngineName, EngineSettings } from './engine-settings.ts';
import { createEspeakEngine, THREADS } from './espeak/espeak-engine.ts';
import { OpenAiEngine } from './openai/openai-engine.ts';
import { ServerVoiceChoice } from './openai/server-voices.ts';
import { RoutedEngine } from './routed-engine.ts';
import { listedVoiceCast, voiceCastOf } from './voice-cast.ts';
import { LOCAL_CATALOGUE, VoiceCatalogue } from './voices/voice-catalogue.ts';
import type { EngineVoice } from './voices/voices.ts';
import { readVoicesFile } from './voices/voices-file.ts';
import { warmingEngine } from './warm-up.ts';

/** The engines of a server as one, and the voices that they speak in. */
export interface StartedEngine {
  readonly engine: Engine;
  /** The one with exact word times; null where no voice needs it. */
  readonly espeak: Engine | null;
  readonly catalogue: VoiceCatalogue;
  /** Resolves when every thread of espeak has spoken. Then goes on until a burst of requests is as fast as later ones, or a client speaks. */
  readonly warmUp: () => Promise<void>;
}

/** Longest wait for a speech server while espeak can speak instead. */
const PATIENCE_BEFORE_TAKE_OVER_MS = 1000;

/** Starts the engines. Throws a StartError, or an EngineMissingError where espeak is needed and missing. */
export async function startEngine(settings: EngineSettings, log: Log): Promise<StartedEngine> {
  const { first, takesOver, voicesPath, server } = settings;
  const entries = voicesPath === undefined ? null : readVoicesFile(voicesPath);
  if (first === 'espeak' && entries === null) {
    const espeak = warmingEngine(await createEspeakEngine(), { threads: THREADS, log });
    return { ...espeak, espeak: espeak.engine, catalogue: LOCAL_CATALOGUE };
  }
  if (server === null)
    throw new StartError('VOICEWIRE_VOICES needs the address of their speech server: VOICEWIRE_OPENAI_URL.');
  const cast = entries ? voiceCastOf(entries, first) : await listedVoiceCast(server);
  const engineOf = (voice: EngineVoice): EngineName => cast.engines.get(voice.handle ?? '') ?? first;
  const usesEspeak = first === 'espeak' || takesOver || [...cast.engines.values()].includes('espeak');
  const espeak = usesEspeak ? warmingEngine(await createEspeakEngine(), { threads: THREADS, log }) : null;
  const choice = new ServerVoiceChoice(cast.voices, LOCAL_CATALOGUE.all);
  const voiceFor: ServerVoiceChoice['voiceFor'] = (voice, language) =>
    cast.fixed.get(voice.handle ?? '') ?? choice.voiceFor(voice, language);
  const openai = new OpenAiEngine({
    settings: server,
    voiceFor,
    log,
    ...(takesOver && { patienceMs: PATIENCE_BEFORE_TAKE_OVER_MS }),
  });
  const speakerOf = (voice: EngineVoice): string =>
    engineOf(voice) === 'espeak' ? 'espeak' : `openai: ${voiceFor(voice, voice.languages[0]).name}`;
  return {
    engine: new RoutedEngine({ espeak: espeak?.engine ?? null, openai, engineOf, takesOver, log }),
    espeak: espeak?.engine ?? null,
    catalogue: new VoiceCatalogue(cast.catalogue, speakerOf),
    warmUp: async () => espeak?.warmUp(),
  };
}
