import { wordList } from '#lib/word-list.ts';
import type { Fields } from '../../core/json-frame.ts';
import type { LintFrame } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { readShape, readText, reportNewFields } from '../../lint/message.ts';
import { errorNumbers } from '../wire/errors.ts';
import {
  type AnyKugelFrame,
  isPlainAudio,
  KUGEL_FRAMES,
  MARKERS,
  type Marker,
} from '../wire/server-frames.ts';
import type { KugelRuleId } from './rules.ts';

/** Rules of the kind and the shape of server frames. */

/** Vendor clients know this marker, whose fields are undocumented (`facts 3.2`). */
const TOLERATED = 'session_started';

/** Markers of the endpoint with contexts alone. */
const OF_CONTEXTS = wordList('context_created context_closed context_timeout');
/** Markers that `/ws/tts` lacks as well (`facts 4`). */
const OF_STREAMS = wordList('generation_started chunk_complete session_closed warning');

const markersWithout = (foreign: readonly Marker[]): ReadonlySet<Marker> =>
  new Set(MARKERS.filter((marker) => !foreign.includes(marker)));
export const MULTI_MARKERS = markersWithout([]);
export const STREAM_MARKERS = markersWithout(OF_CONTEXTS);
export const TTS_MARKERS = markersWithout([...OF_CONTEXTS, ...OF_STREAMS]);

/** Frames that need a context on the endpoint with contexts (`facts 3.2`). */
const NEEDS_CONTEXT: ReadonlySet<string> = new Set<Marker>(
  wordList('audio word_timestamps generation_started chunk_complete final'),
);

/** Fields outside the schemas that the vendor's clients read (`facts 1.8`). */
const READ_BY_CLIENTS: ReadonlySet<string> = new Set(['retry_after', 'context_id']);

/** A frame with its context; null on the endpoint without contexts. */
export type ServerFrame = AnyKugelFrame & { context: string | null };

/** Reads the server frames of one connection. */
export class ServerReader {
  readonly #findings: Findings<KugelRuleId>;
  readonly #known: ReadonlySet<Marker>;
  readonly #hasContexts: boolean;

  /** @param known the markers of the endpoint */
  constructor(findings: Findings<KugelRuleId>, known: ReadonlySet<Marker>) {
    this.#findings = findings;
    this.#known = known;
    this.#hasContexts = known.has('context_created');
  }

  /** @returns null for an unreadable frame, after a report */
  read(at: LintFrame): ServerFrame | null {
    const fields = readText(at, this.#findings);
    if (!fields) return null;
    const kinds = MARKERS.filter((marker) => Object.hasOwn(fields, marker));
    const [kind] = kinds;
    if (kind === undefined || !this.#known.has(kind)) {
      if (!Object.hasOwn(fields, TOLERATED)) {
        const found = Object.keys(fields).slice(0, 5).join(', ') || 'none';
        const message = `expected a frame with one of ${[...this.#known].join(', ')}, got ${found}`;
        this.#findings.report('unknown-kind', at, message);
      }
      return null;
    }
    if (kinds.length > 1) {
      this.#findings.report('several-kinds', at, `expected one marker, got ${kinds.join(' and ')}`);
    }
    return this.#parse(kind, fields, at);
  }

  #parse(kind: Marker, fields: Fields, at: LintFrame): ServerFrame | null {
    const context = typeof fields.context_id === 'string' ? fields.context_id : null;
    const schema = KUGEL_FRAMES[kind];
    const frame =
      kind === 'audio' && isPlainAudio(fields)
        ? fields
        : readShape(schema, fields, at, this.#findings, context);
    if (!frame) return null;
    if (this.#hasContexts && context === null && NEEDS_CONTEXT.has(kind)) {
      this.#findings.report('server-shape', at, 'expected a string, got nothing', 'context_id');
      return null;
    }
    const isKnown = (field: string) =>
      Object.hasOwn(schema.shape, field) || READ_BY_CLIENTS.has(field) || Object.hasOwn(KUGEL_FRAMES, field);
    reportNewFields(kind, fields, isKnown, at, this.#findings);
    if (kind === 'error') this.#checkError(fields, at, context);
    return { kind, frame, context: this.#hasContexts ? context : null } as ServerFrame;
  }

  #checkError({ error_code: name, code }: Fields, at: LintFrame, context: string | null): void {
    const report = this.#findings.in(context);
    if (typeof name !== 'string' || typeof code !== 'number') {
      const field = typeof name === 'string' ? 'code' : 'error_code';
      report('error-incomplete', at, 'expected it in every error, got nothing', field);
      return;
    }
    const numbers = errorNumbers(name);
    if (!numbers || numbers.includes(code)) return;
    report('error-number', at, `expected ${numbers.join(' or ')} for ${name}, got ${code}`, 'code');
  }
}
