import { wordList } from '#lib/word-list.ts';

/** Dates of the protocol, which the client chooses (`facts-cartesia 0.2`, A3, A4). */
export const VERSIONS = wordList('2024-06-10 2024-11-13 2025-04-16 2025-11-04 2026-03-01 2026-08-14');

export type Version = (typeof VERSIONS)[number];

export const LATEST_VERSION = '2026-08-14' satisfies Version;

export const isVersion = (date: unknown): date is Version => (VERSIONS as readonly unknown[]).includes(date);

/** The changes of a version on the socket. Dates sort as texts do. */
export const versionTraits = (version: Version) => ({
  /** `voice` may be an embedding (G3). */
  hasEmbeddings: version <= '2024-11-13',
  /** Errors have `title` and `message` instead of `error`, and unknown ids answer 404 (E1, E2). */
  hasStructuredErrors: version >= '2026-03-01',
  /** `context_id` is required (G5, O8). */
  needsContext: version >= '2026-03-01',
  /** `voice` is an id or `{id}`, without a mode (G3). */
  hasPlainVoice: version >= '2026-08-14',
  /** `locale`, `accent` and `normalization` (G13 to G15), and `access` of voices in place of `is_public` (H4). */
  hasLocales: version >= '2026-08-14',
  /** Largest `max_buffer_delay_ms` (G8). */
  maxBufferDelayMs: version >= '2026-03-01' ? 5000 : 1000,
});
