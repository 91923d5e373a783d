import type { Endpoint, EndpointId, Server, Settings } from '#protocol/core/endpoint.ts';
import { z } from '#protocol/core/zod.ts';
import { endpointOf, PAGE_ENDPOINTS } from '#protocol/registry.ts';
import type { LineSource } from '#session/commands.ts';
import { DEFAULT_SAMPLE } from '#text/default-text.ts';
import { PROFILES, type ProfilePreset, type SimulationProfile } from '#text/simulated-model.ts';
import { persisted } from '../browser/persisted.ts';

export const CUSTOM_SERVER = 'custom';

/** Name in `localStorage`. `public/theme.js` reads the theme from it before the first paint. */
export const SETTINGS_STORAGE_NAME = 'voicewire.settings';

export type Theme = 'system' | 'light' | 'dark';

const DRAFT_CHARS = 20_000;

export const MAX_SYSTEM_PROMPT_CHARS = 4000;
export const MAX_THOUGHT_TAG_CHARS = 40;

/** Ollama on this machine. The name of a model depends on what is installed. */
export const DEFAULT_LIVE_MODEL = {
  base: 'http://localhost:11434/v1',
  model: '',
  systemPrompt:
    'Your answers are spoken aloud. Answer in a few short sentences of plain text, without lists, markup or emoji.',
  thoughtTag: '',
  thinksFirst: false,
};

/** The usual port of speaches. Nothing is sent before a model is chosen. */
const DEFAULT_TRANSCRIPTION = { base: 'http://localhost:8000/v1', model: '', language: '' };

const byEndpoint = <T extends z.ZodMiniType>(value: T) => z.catch(z.record(z.string(), value), {});

/** A server of OpenAI's API. */
const typedServer = {
  base: z.string().check(z.maxLength(300)),
  model: z.string().check(z.maxLength(200)),
};

/** State that survives a reload. API keys are not among the fields. */
export const pageSettings = z.object({
  endpoint: z.catch(z.string(), ''),
  servers: byEndpoint(z.string().check(z.maxLength(40))),
  customBases: byEndpoint(z.string().check(z.maxLength(300))),
  settings: byEndpoint(z.record(z.string(), z.unknown())),
  theme: z.catch(z.enum(['system', 'light', 'dark']), 'system'),
  volume: z.catch(z.number().check(z.gte(0), z.lte(1)), 1),
  muted: z.catch(z.boolean(), false),
  source: z.catch(z.enum(['typed', 'simulated', 'live']), 'typed'),
  sendWhileTyping: z.catch(z.boolean(), false),
  draft: z.catch(z.nullable(z.string().check(z.maxLength(DRAFT_CHARS))), null),
  simulation: z.catch(
    z.object({
      preset: z.string().check(z.maxLength(40)),
      tokensPerSecond: z.nullable(z.number().check(z.gte(0.5), z.lte(1000))),
      jitter: z.nullable(z.number().check(z.gte(0), z.lte(1))),
      seed: z.int().check(z.gte(0), z.lte(999_999)),
    }),
    { preset: '', tokensPerSecond: null, jitter: null, seed: 7 },
  ),
  liveModel: z.catch(
    z.object({
      ...typedServer,
      systemPrompt: z.string().check(z.maxLength(MAX_SYSTEM_PROMPT_CHARS)),
      /** Name of a further tag around thoughts; empty for none. */
      thoughtTag: z.catch(z.string().check(z.maxLength(MAX_THOUGHT_TAG_CHARS)), ''),
      /** Answers begin inside thoughts, and only the end mark arrives. */
      thinksFirst: z.catch(z.boolean(), false),
    }),
    DEFAULT_LIVE_MODEL,
  ),
  transcription: z.catch(
    z.object({
      ...typedServer,
      language: z.string().check(z.maxLength(20)),
    }),
    DEFAULT_TRANSCRIPTION,
  ),
  dockTab: z.catch(z.enum(['timeline', 'chunks', 'frames', 'usage']), 'timeline'),
  dockHeightPx: z.catch(z.number().check(z.gte(80), z.lte(2000)), 400),
  dockCollapsed: z.catch(z.boolean(), false),
  /** Price plan whose quota the usage is compared with; empty for none. */
  plan: z.catch(z.string().check(z.maxLength(40)), ''),
  setupView: z.catch(z.enum(['form', 'json']), 'form'),
  setupWidthPx: z.catch(z.number().check(z.gte(200), z.lte(900)), 320),
});

export type PageSettings = z.output<typeof pageSettings>;

/** A recording that the page's server answers with, as a server of its endpoint. */
export interface ServedRecording extends Server {
  /** Null where the page does not offer it. */
  endpoint: EndpointId | null;
  /** Its id in this browser, and its name. */
  recording: string;
  name: string;
  /** Sentences about the parts that are not served. */
  notes: readonly string[];
}

interface Unstored {
  /** The recordings that this page serves, or was opened with. They are gone with the page's server. */
  served: readonly ServedRecording[];
  chooseEndpoint: (id: EndpointId) => void;
  /** A served recording is chosen with its endpoint. */
  chooseServer: (id: string) => void;
  setCustomBase: (base: string) => void;
  setSettings: (settings: Settings) => void;
}

/** Adds the settings that an endpoint has gained, because a set-up without the project of its dictionaries loses them. */
const upgraded = (state: PageSettings): PageSettings => {
  const all = Object.entries(state.settings);
  const withAdded = all.map(([id, stored]) => [id, { ...endpointOf(id).addedSettings, ...stored }] as const);
  return { ...state, settings: Object.fromEntries(withAdded) };
};

export const useSettings = persisted<typeof pageSettings, Unstored>(
  SETTINGS_STORAGE_NAME,
  pageSettings,
  (set, get) => ({
    served: [],
    chooseEndpoint: (id) => set({ endpoint: id }),
    chooseServer: (id) => {
      const served = get().served.find((one) => one.id === id);
      const endpoint = served?.endpoint ?? selectEndpoint(get()).id;
      set({ endpoint, servers: { ...get().servers, [endpoint]: id } });
    },
    setCustomBase: (base) => set({ customBases: { ...get().customBases, [selectEndpoint(get()).id]: base } }),
    setSettings: (settings) => set({ settings: { ...get().settings, [selectEndpoint(get()).id]: settings } }),
  }),
  upgraded,
);

export const selectEndpoint = (state: Pick<PageSettings, 'endpoint'>): Endpoint => endpointOf(state.endpoint);

/** Returns the settings of the current endpoint: only fields that are sent. */
export const selectSettings = (state: Pick<PageSettings, 'endpoint' | 'settings'>): Settings => {
  const endpoint = selectEndpoint(state);
  return state.settings[endpoint.id] ?? endpoint.initialSettings;
};

/** Returns a server of the endpoint, which may be a served recording; undefined for a typed address. */
export const serverOf = (endpoint: Endpoint, id: string | undefined): Server | undefined =>
  [...endpoint.servers, ...useSettings.getState().served.filter((one) => one.endpoint === endpoint.id)].find(
    (server) => server.id === id,
  );

/** Id of the server in use for the endpoint in use: one of the endpoint's, or `CUSTOM_SERVER`. */
export const selectServerId = (state: Pick<PageSettings, 'endpoint' | 'servers'>): string => {
  const endpoint = selectEndpoint(state);
  const chosen = state.servers[endpoint.id];
  const known = chosen === CUSTOM_SERVER || serverOf(endpoint, chosen);
  return known && chosen !== undefined ? chosen : (endpoint.servers[0]?.id ?? CUSTOM_SERVER);
};

export const selectDraft = (state: Pick<PageSettings, 'draft'>): string => state.draft ?? DEFAULT_SAMPLE.text;

/** Name of the button that begins a turn. */
export const selectSpeakName = ({ source }: Pick<PageSettings, 'source'>): string =>
  source === 'live' ? 'Ask' : 'Speak';

/** Returns the chosen preset of the simulated model, without the user's changes. */
export const selectPreset = (state: Pick<PageSettings, 'simulation'>): ProfilePreset =>
  PROFILES.find((preset) => preset.id === state.simulation.preset) ?? PROFILES[0];

/** Returns the preset with the user's changes. */
/** Returns where lines come from: whole, as typed, or written by the simulated model. */
export const selectLineSource = (
  state: Pick<PageSettings, 'simulation'> & { source: PageSettings['source'] | 'whole' },
): LineSource =>
  state.source === 'simulated'
    ? { kind: 'simulated', profile: selectProfile(state), seed: state.simulation.seed }
    : { kind: 'whole' };

export const selectProfile = (state: Pick<PageSettings, 'simulation'>): SimulationProfile => {
  const { profile } = selectPreset(state);
  return {
    ...profile,
    tokensPerSecond: state.simulation.tokensPerSecond ?? profile.tokensPerSecond,
    jitter: state.simulation.jitter ?? profile.jitter,
  };
};

/** Takes `?endpoint=` over the stored choice. */
export function applyAddress(search: string): void {
  const asked = new URLSearchParams(search).get('endpoint');
  const known = PAGE_ENDPOINTS.find((endpoint) => endpoint.id === asked);
  if (known) useSettings.getState().chooseEndpoint(known.id);
}
