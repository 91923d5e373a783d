import { isFields } from './json-frame.ts';
import type { z } from './zod.ts';

/** The voices and dictionaries of a server, over REST. Their ids are opaque; see `IdForm`. Every call rejects with a `CatalogueError`. */

export interface VoiceInfo {
  id: string;
  /** Other settings that belong to this voice, by wire name; see the `brings` of a voice setting. */
  settings?: Readonly<Record<string, unknown>>;
  name: string;
  description: string;
  sex: string | null;
  age: string | null;
  languages: readonly string[];
  /** Absolute address of an audio sample; null without one. */
  sampleUrl: string | null;
}

export interface DictionaryInfo {
  id: string;
  /** Other settings that a choice of dictionaries needs, by wire name. */
  settings: Readonly<Record<string, unknown>>;
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

/** A value of an open choice. */
export interface OfferedValue {
  field: string;
  id: string;
}

/** The lists of a vendor. One without such a list has none. */
export interface Catalogue {
  voices(request: CatalogueRequest): Promise<VoiceInfo[]>;
  dictionaries?(request: CatalogueRequest): Promise<DictionaryInfo[]>;
  /** Values of open choices. */
  offered?(request: CatalogueRequest): Promise<OfferedValue[]>;
}

/** Why a catalogue could not be read, in words for the page; never contains the key. */
class CatalogueError extends Error {
  override name = 'CatalogueError';
}

/** Reads one page of a catalogue. @param headers sent with a key only */
export async function readCatalogue<T>(
  { base, key, signal }: CatalogueRequest,
  path: string,
  headers: Readonly<Record<string, string>>,
  schema: z.ZodMiniType<T>,
): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`${base}${path}`, {
      headers: key === '' ? {} : headers,
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CatalogueError(
      'The server did not answer. It may be down, or it may not allow requests from this page.',
    );
  }
  if (!response.ok) throw new CatalogueError(await refusal(response));
  const parsed = schema.safeParse(await response.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  throw new CatalogueError('The server answered in a form that this version does not understand.');
}

/** Limits the pages of one catalogue, because a faulty server may report an endless one. */
const MAX_PAGES = 20;

/**
 * Reads a catalogue that comes in pages.
 * @param next what the path of the page behind this one has behind `path`, by the pages so far; null for none
 */
export async function readPages<T>(
  request: CatalogueRequest,
  path: string,
  headers: Readonly<Record<string, string>>,
  schema: z.ZodMiniType<T>,
  next: (page: T, pages: readonly T[]) => string | null,
): Promise<T[]> {
  const pages: T[] = [];
  let more: string | null = '';
  while (more !== null && pages.length < MAX_PAGES) {
    const page: T = await readCatalogue(request, path + more, headers, schema);
    pages.push(page);
    more = next(page, pages);
  }
  return pages;
}

async function refusal(response: Response): Promise<string> {
  if (response.status === 401) return 'The server does not accept this key.';
  const body: unknown = await response.json().catch(() => undefined);
  const said = isFields(body) && typeof body.error === 'string' ? ` It said: ${body.error}` : '';
  return `The server answered with status ${response.status}.${said}`;
}

/** The absolute address of a voice's sample; null for anything that is no address, so that the voice stays usable. */
export const sampleUrlOf = (written: string | null | undefined, { base }: CatalogueRequest): string | null =>
  written && URL.canParse(written, `${base}/`) ? new URL(written, `${base}/`).href : null;

/** As {@link sampleUrlOf}; null also for a sample on another host, which the page may not load from. */
export function ownSampleUrlOf(written: string | null | undefined, request: CatalogueRequest): string | null {
  const url = sampleUrlOf(written, request);
  return url !== null && new URL(url).origin === new URL(request.base).origin ? url : null;
}
