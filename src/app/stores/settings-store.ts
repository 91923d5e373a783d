import type { Endpoint, EndpointId, Settings } from '#protocol/core/endpoint.ts';
import { z } from '#protocol/core/zod.ts';
import { ENDPOINTS, endpointOf } from '#protocol/registry.ts';
import { DEFAULT_TEXT } from '#text/samples.ts';
import { PROFILES, type ProfilePreset, type SimulationProfile } from '#text/simulated-model.ts';
import { persisted } from '../browser/persisted.ts';

export const CUSTOM_SERVER = 'custom';

/** Name in `localStorage`. `public/theme.js` reads the theme from it before the first paint. */
const STORAGE_NAME = 'voicewire.settings';

export type Theme = 'system' | 'light' | 'dark';

const DRAFT_CHARS = 20_000;

const byEndpoint = <T extends z.ZodType>(value: T) => z.record(z.string(), value).catch({});

/** State that survives a reload. API keys are not among the fields. */
export const pageSettings = z.object({
  endpoint: z.string().catch(''),
  servers: byEndpoint(z.string().max(40)),
  customBases: byEndpoint(z.string().max(300)),
  settings: byEndpoint(z.record(z.string(), z.unknown())),
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  volume: z.number().min(0).max(1).catch(1),
  muted: z.boolean().catch(false),
  source: z.enum(['typed', 'simulated']).catch('typed'),
  sendWhileTyping: z.boolean().catch(false),
  draft: z.string().max(DRAFT_CHARS).nullable().catch(null),
  simulation: z
    .object({
      preset: z.string().max(40),
      tokensPerSecond: z.number().min(0.5).max(1000).nullable(),
      jitter: z.number().min(0).max(1).nullable(),
      seed: z.int().min(0).max(999_999),
    })
    .catch({ preset: '', tokensPerSecond: null, jitter: null, seed: 7 }),
  /** null: the default of the endpoint. */
  dockTab: z.enum(['timeline', 'chunks', 'frames', 'usage']).nullable().catch(null),
  dockHeightPx: z.number().min(80).max(2000).catch(400),
  dockCollapsed: z.boolean().catch(false),
  /** Price plan whose quota the usage is compared with; empty for none. */
  plan: z.string().max(40).catch(''),
  setupView: z.enum(['form', 'json']).catch('form'),
  setupWidthPx: z.number().min(200).max(900).catch(320),
});

export type PageSettings = z.output<typeof pageSettings>;

interface Actions {
  chooseEndpoint: (id: EndpointId) => void;
  chooseServer: (id: string) => void;
  setCustomBase: (base: string) => void;
  setSettings: (settings: Settings) => void;
}

export const useSettings = persisted<typeof pageSettings, Actions>(
  STORAGE_NAME,
  pageSettings,
  (set, get) => ({
    chooseEndpoint: (id) => set({ endpoint: id }),
    chooseServer: (id) => set({ servers: { ...get().servers, [selectEndpoint(get()).id]: id } }),
    setCustomBase: (base) => set({ customBases: { ...get().customBases, [selectEndpoint(get()).id]: base } }),
    setSettings: (settings) => set({ settings: { ...get().settings, [selectEndpoint(get()).id]: settings } }),
  }),
);

export const selectEndpoint = (state: Pick<PageSettings, 'endpoint'>): Endpoint => endpointOf(state.endpoint);

/** Returns the settings of the current endpoint: only fields that are sent. */
export const selectSettings = (state: Pick<PageSettings, 'endpoint' | 'settings'>): Settings => {
  const endpoint = selectEndpoint(state);
  return state.settings[endpoint.id] ?? endpoint.initialSettings;
};

/** Id of the server in use for the endpoint in use: one of the endpoint's, or `CUSTOM_SERVER`. */
export const selectServerId = (state: Pick<PageSettings, 'endpoint' | 'servers'>): string => {
  const endpoint = selectEndpoint(state);
  const chosen = state.servers[endpoint.id];
  const known = chosen === CUSTOM_SERVER || endpoint.servers.some((server) => server.id === chosen);
  return known && chosen !== undefined ? chosen : (endpoint.servers[0]?.id ?? CUSTOM_SERVER);
};

/** Returns the tab of the dock. By default the timeline for several contexts, else the chunks. */
export const selectDockTab = (state: Pick<PageSettings, 'endpoint' | 'dockTab'>) =>
  state.dockTab ?? (selectEndpoint(state).contexts ? 'timeline' : 'chunks');

export const selectDraft = (state: Pick<PageSettings, 'draft'>): string => state.draft ?? DEFAULT_TEXT;

/** Returns the chosen preset of the simulated model, without the user's changes. */
export const selectPreset = (state: Pick<PageSettings, 'simulation'>): ProfilePreset =>
  PROFILES.find((preset) => preset.id === state.simulation.preset) ?? PROFILES[0];

/** Returns the preset with the user's changes. */
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
  const known = ENDPOINTS.find((endpoint) => endpoint.id === asked);
  if (known) useSettings.getState().chooseEndpoint(known.id);
}
