import { remember } from '#lib/collections/maps.ts';
import { deepEqual } from '#lib/deep-equal.ts';
import { excerptOf, ownText } from '#lib/format.ts';
import type { DialectTraits, Endpoint, Intent, Settings } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { fieldsOf, parseBounded } from '#protocol/core/json-frame.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { reopen } from './connection.ts';

/**
 * One thing that a client asks for, apart from how its program writes it: without spacing, order of fields, keys,
 * repeated settings and keep-alives.
 */
export interface ClientStep {
  /** `settings`: those that differ from the ones in effect. `message`: a frame that carries no intent. */
  kind: 'settings' | 'message' | Exclude<Intent['kind'], 'open' | 'openContext' | 'keepAlive'>;
  /** Null for the whole connection, and on endpoints with a single context. */
  context: string | null;
  /** To speak; empty for other steps. */
  text: string;
  /** Settings, or the fields of a message, for comparison by value. */
  value: unknown;
  /** Settings in effect for a text, of its connection and of its context; none for other steps. */
  under: readonly (Settings | undefined)[];
}

/** Contexts whose settings are remembered, each up to the size of a frame. A vendor allows 20 at a time. */
const MAX_CONTEXTS = 64;

/** Reads the steps of one connection from the frames of any client, in their order. */
export class StepReader {
  readonly #endpoint: Endpoint;
  /** By context; null for those of the connection. */
  readonly #inEffect = new Map<string | null, Settings>();
  readonly #traits: DialectTraits;
  /** Whether all text of a context was flushed, where its end drops the rest. */
  readonly #isFlushed = new Map<string | null, boolean>();

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#traits = reopen(endpoint, null).traits;
  }

  /** @param intents of the frame, where they were read before */
  read(
    frame: Frame,
    intents: readonly Intent[] = protocolOf(this.#endpoint).readIntents(frame),
  ): ClientStep[] {
    if (typeof frame !== 'string') return [stepOf('message', null, { bytes: frame.length })];
    if (intents.length === 0) return [stepOf('message', null, fieldsOf(frame, parseBounded) ?? frame)];
    const steps = intents.flatMap((intent) => this.#steps(intent));
    return this.#traits.endDropsText ? this.#withCancels(steps) : steps;
  }

  /** An end without a flush of its own abandons the turn. A flush without text before it is none of a turn. */
  #withCancels(steps: readonly ClientStep[]): ClientStep[] {
    return steps.flatMap((step) => {
      const { kind, context } = step;
      const isFlushed = this.#isFlushed.get(context);
      if (kind === 'say') remember(this.#isFlushed, context, false, MAX_CONTEXTS);
      else if (kind === 'flush') {
        if (isFlushed === undefined) return [];
        if (steps.length === 1) this.#isFlushed.set(context, true);
      } else if (kind === 'endTurn') {
        this.#isFlushed.delete(context);
        if (isFlushed === false) return [stepOf('cancel', context, null)];
      }
      return [step];
    });
  }

  /** The client uses new contexts from now on. Settings of the connection stay in effect. */
  forgetContexts(): void {
    for (const context of this.#inEffect.keys()) if (context !== null) this.forget(context);
    this.#isFlushed.clear();
  }

  /** The server has closed a context, so that its next text opens another one. */
  forget(context: string): void {
    this.#inEffect.delete(context);
  }

  #steps(intent: Intent): ClientStep[] {
    const context = 'context' in intent && this.#endpoint.contexts ? intent.context : null;
    switch (intent.kind) {
      case 'open':
        return this.#settings(null, { ...this.#inEffect.get(null), ...intent.settings });
      case 'openContext':
        return this.#opening(context, intent.settings);
      case 'say': {
        const opening = intent.opens ? this.#opening(context, intent.opens) : [];
        // Texts are joined, so that an empty one is none.
        const { text } = intent;
        if (text === '') return opening;
        const under = [this.#inEffect.get(null), context === null ? undefined : this.#inEffect.get(context)];
        return [...opening, { ...stepOf('say', context, null), text, under }];
      }
      case 'keepAlive':
        return [];
      case 'update':
        this.#inEffect.set(null, { ...this.#inEffect.get(null), ...intent.settings });
        return [stepOf('update', context, intent.settings)];
      case 'closeContext':
        this.#inEffect.delete(context);
        return [stepOf('closeContext', context, { immediate: intent.immediate })];
      case 'endTurn':
      case 'cancel':
        // A context of the wire ends with its turn.
        if (this.#traits.cancel === 'unconfirmed') this.#inEffect.delete(context);
        return [stepOf(intent.kind, context, null)];
      default:
        return [stepOf(intent.kind, context, null)];
    }
  }

  /** The settings of a context are fixed until its end, so that an open one ignores further ones. */
  #opening(context: string | null, settings: Settings): ClientStep[] {
    return this.#inEffect.has(context) ? [] : this.#settings(context, settings);
  }

  #settings(context: string | null, settings: Settings): ClientStep[] {
    const before = this.#inEffect.get(context);
    const shared = this.#inEffect.get(null);
    // Contexts never displace the settings of the connection.
    if (shared && context !== null) remember(this.#inEffect, null, shared, MAX_CONTEXTS);
    remember(this.#inEffect, context, settings, MAX_CONTEXTS);
    if (!before) return [stepOf('settings', context, settings)];
    const changed = Object.entries(settings).filter(([field, value]) => !deepEqual(value, before[field]));
    return changed.length === 0 ? [] : [stepOf('settings', context, Object.fromEntries(changed))];
  }
}

const stepOf = (kind: ClientStep['kind'], context: string | null, value: unknown): ClientStep => ({
  kind,
  context,
  text: '',
  value,
  under: [],
});

/** A step that abandons speech. */
export const isCut = ({ kind, value }: Pick<ClientStep, 'kind' | 'value'>): boolean =>
  kind === 'cancel' || (kind === 'closeContext' && deepEqual(value, { immediate: true }));

const MAX_WORDS = 120;

/** Returns the beginning of a text. */
export const beginningWords = (text: string, maxChars = MAX_WORDS): string =>
  ownText(excerptOf(text, maxChars));

/** Names a step for people, on one line. */
export function stepWords({ kind, context, text, value }: ClientStep): string {
  const where = context === null ? '' : ` of context ${beginningWords(JSON.stringify(context))}`;
  const content = kind === 'say' ? JSON.stringify(text) : value === null ? '' : JSON.stringify(value);
  const shown = beginningWords(content);
  return `${TITLES[kind]}${where}${shown === '' ? '' : ` ${shown}`}`;
}

const TITLES: Readonly<Record<ClientStep['kind'], string>> = {
  settings: 'settings',
  update: 'update of settings',
  say: 'text',
  flush: 'flush',
  endTurn: 'end of the turn',
  cancel: 'cancel',
  closeContext: 'close',
  disconnect: 'request to close',
  message: 'message',
};
