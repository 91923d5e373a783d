/** What a server offers besides speech. Read over REST; every call rejects with a `CatalogueError`. */

export interface VoiceInfo {
  /** As the settings want it. */
  id: number | string;
  /** Other fields that the voice is chosen with, by wire name; see the `brings` of a voice setting. */
  settings?: Readonly<Record<string, unknown>>;
  name: string;
  description: string;
  sex: string | null;
  age: string | null;
  languages: readonly string[];
  /** Absolute address of a sample to hear; null where there is none. */
  sampleUrl: string | null;
}

export interface DictionaryInfo {
  id: number;
  name: string;
  description: string;
  language: string | null;
  active: boolean;
}

export interface CatalogueRequest {
  /** Host and prefix with an http scheme, without a trailing slash. */
  base: string;
  key: string;
  signal?: AbortSignal;
}

export interface Catalogue {
  voices(request: CatalogueRequest): Promise<VoiceInfo[]>;
  dictionaries(request: CatalogueRequest): Promise<DictionaryInfo[]>;
}

/** Why a catalogue could not be read, in words for the page; never holds the key. */
export class CatalogueError extends Error {
  override name = 'CatalogueError';
}
