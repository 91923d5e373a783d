import { describeIssue, issuesOf } from '../../core/issue.ts';
import type { LintFrame } from '../../core/rule.ts';
import type { z } from '../../core/zod.ts';
import type { Findings } from '../../lint/findings.ts';
import { readText } from '../../lint/message.ts';
import { Once } from '../../lint/once.ts';
import * as frames from '../wire/server-frames.ts';
import type { KugelRuleId } from './rules.ts';

/** Rules of the shape of server frames, and what kind each is. */

/** By marker, in the order they are looked for: an error may name the frame it is about. */
const SCHEMAS = {
  error: frames.errorFrame,
  audio: frames.audioFrame,
  word_timestamps: frames.wordTimestampsFrame,
  generation_started: frames.generationStartedFrame,
  chunk_complete: frames.chunkCompleteFrame,
  interrupted: frames.interruptedFrame,
  settings_updated: frames.settingsUpdatedFrame,
  context_created: frames.contextCreatedFrame,
  context_closed: frames.contextClosedFrame,
  context_timeout: frames.contextTimeoutFrame,
  session_closed: frames.sessionClosedFrame,
  final: frames.finalFrame,
  warning: frames.warningFrame,
} as const;

export type Marker = keyof typeof SCHEMAS;
const MARKERS = Object.keys(SCHEMAS) as Marker[];

/** Seen in vendor clients, with fields that are documented nowhere (`facts 3.2`). */
const TOLERATED = 'session_started';

/** Markers that only an endpoint with contexts sends. */
const OF_CONTEXTS: ReadonlySet<string> = new Set<Marker>([
  'context_created',
  'context_closed',
  'context_timeout',
]);

export type ServerFrame = {
  [M in Marker]: { kind: M; frame: z.output<(typeof SCHEMAS)[M]>; context: string | null };
}[Marker];

/** Numbers that go with each name (`facts 1.8`). */
const ERROR_NUMBERS: ReadonlyMap<string, readonly number[]> = new Map([
  ['VALIDATION_ERROR', [400, 413, 501]],
  ['MISSING_VOICE_ID', [400]],
  ['UNAUTHORIZED', [401, 403]],
  ['INSUFFICIENT_CREDITS', [402]],
  ['NOT_FOUND', [404]],
  ['RATE_LIMITED', [429]],
  ['TOO_MANY_CONTEXTS', [429]],
  ['INTERNAL_ERROR', [500, 503]],
  ['MODEL_UNAVAILABLE', [503]],
]);

/** Fields that no schema names, and that the vendor's clients read (`facts 1.8`). */
const READ_BY_CLIENTS: ReadonlySet<string> = new Set(['retry_after', 'context_id']);

/** Problems that one frame may have. */
const MAX_ISSUES = 8;

/** Reads the server frames of one connection. */
export class ServerReader {
  readonly #findings: Findings<KugelRuleId>;
  readonly #hasContexts: boolean;
  readonly #once: Once<KugelRuleId>;

  constructor(findings: Findings<KugelRuleId>, hasContexts: boolean) {
    this.#findings = findings;
    this.#once = new Once(findings);
    this.#hasContexts = hasContexts;
  }

  /** @returns null where it cannot be read; that is reported */
  read(at: LintFrame): ServerFrame | null {
    const value = readText(at, this.#findings);
    if (!value) return null;
    const kinds = MARKERS.filter((marker) => Object.hasOwn(value, marker));
    const [kind] = kinds;
    if (kind === undefined || (!this.#hasContexts && OF_CONTEXTS.has(kind))) {
      if (!Object.hasOwn(value, TOLERATED)) {
        this.#findings.report(
          'unknown-kind',
          at,
          `expected a frame with one of ${this.#markers().join(', ')}, got ${Object.keys(value).slice(0, 5).join(', ') || 'none'}`,
        );
      }
      return null;
    }
    if (kinds.length > 1) {
      this.#findings.report('several-kinds', at, `expected one marker, got ${kinds.join(' and ')}`);
    }
    return this.#parse(kind, value, at);
  }

  #markers(): Marker[] {
    return this.#hasContexts ? MARKERS : MARKERS.filter((marker) => !OF_CONTEXTS.has(marker));
  }

  #parse(kind: Marker, value: Readonly<Record<string, unknown>>, at: LintFrame): ServerFrame | null {
    const context = typeof value.context_id === 'string' ? value.context_id : null;
    const schema = SCHEMAS[kind];
    let frame: unknown = value;
    // Nearly all frames are audio, and looking at the fields is much cheaper than the validator.
    if (kind !== 'audio' || !isPlainAudio(value)) {
      const parsed = schema.safeParse(value);
      if (!parsed.success) {
        for (const issue of issuesOf(parsed.error, value).slice(0, MAX_ISSUES)) {
          this.#findings.report('server-shape', at, describeIssue(issue), { context, path: issue.path });
        }
        return null;
      }
      frame = parsed.data;
    }
    if (this.#hasContexts && context === null && NEEDS_CONTEXT.has(kind)) {
      this.#findings.report('server-shape', at, 'context_id: expected a string, got nothing', {
        path: 'context_id',
      });
      return null;
    }
    this.#tellNewFields(kind, value, schema.shape, at);
    if (kind === 'error') this.#checkError(value, at, context);
    return { kind, frame, context: this.#hasContexts ? context : null } as ServerFrame;
  }

  #checkError(value: Readonly<Record<string, unknown>>, at: LintFrame, context: string | null): void {
    const { error_code: name, code } = value;
    if (typeof name !== 'string' || typeof code !== 'number') {
      const path = typeof name === 'string' ? 'code' : 'error_code';
      this.#findings.report('error-incomplete', at, `${path}: expected it in every error, got nothing`, {
        context,
        path,
      });
      return;
    }
    const numbers = ERROR_NUMBERS.get(name);
    if (!numbers || numbers.includes(code)) return;
    this.#findings.report(
      'error-number',
      at,
      `code: expected ${numbers.join(' or ')} for ${name}, got ${code}`,
      {
        context,
        path: 'code',
      },
    );
  }

  /** Each once: a later version of the protocol may have many. */
  #tellNewFields(
    kind: Marker,
    value: Readonly<Record<string, unknown>>,
    shape: Readonly<Record<string, unknown>>,
    at: LintFrame,
  ): void {
    for (const field in value) {
      if (Object.hasOwn(shape, field) || READ_BY_CLIENTS.has(field) || Object.hasOwn(SCHEMAS, field))
        continue;
      const name = field.slice(0, 64);
      const message = `${kind}: expected only known fields, got ${name}`;
      this.#once.report('new-field', at, message, name, `${kind}.${name}`);
    }
  }
}

/** Frames that mean nothing without a context, where there are several (`facts 3.2`). */
const NEEDS_CONTEXT: ReadonlySet<string> = new Set<Marker>([
  'audio',
  'word_timestamps',
  'generation_started',
  'chunk_complete',
  'final',
]);

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isPlainAudio = ({ audio, enc, idx, sr, samples, chunk_id, context_id = '' }: Record<string, unknown>) =>
  typeof audio === 'string' &&
  (enc === 'pcm_s16le' || enc === 'mulaw' || enc === 'alaw') &&
  isCount(idx) &&
  isCount(sr) &&
  (sr as number) >= 3000 &&
  (sr as number) <= 192_000 &&
  isCount(samples) &&
  isCount(chunk_id) &&
  typeof context_id === 'string';
