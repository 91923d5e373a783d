import { remember } from '#lib/collections/maps.ts';
import { deepEqual } from '#lib/deep-equal.ts';
import type { Fields } from '../../core/json-frame.ts';
import type { Linter } from '../../core/rule.ts';
import { SECOND_US } from '../../lint/clock.ts';
import { ConnectionCheck, ConnectionsLinter } from '../../lint/linter.ts';
import { MAX_CONTEXTS, type Version } from '../wire/settings.ts';
import { FollowedContext } from './context.ts';
import { judgeAddress, readReceivedFrame, readSentMessage, type SentMessage } from './messages.ts';
import { CARTESIA_RULES, type CartesiaRuleId } from './rules.ts';

/** The linter of `/tts/websocket`. */
export const openCartesiaLinter = (): Linter =>
  new ConnectionsLinter(CARTESIA_RULES, (world) => new SocketCheck(world));

/** A minute before the server closes (cartesia-limit-1). */
const IDLE_US = 240 * SECOND_US;
/** Limits the followed contexts, because a recording has no end. */
const MAX_FOLLOWED = 64;
const TOO_MANY = 429;

class SocketCheck extends ConnectionCheck<CartesiaRuleId> {
  turns: number | null = 0;
  /** By id, also those that are over. */
  readonly #contexts = new Map<string, FollowedContext>();
  readonly #idle = this.deadline(IDLE_US, (time) => {
    this.once('idle-near', `expected a frame, got none for ${time}`);
    // The server closes it, so the next turn needs another one.
    this.turns = null;
  });
  /** Null where the address does not name it. */
  #version: Version | null = null;
  /** Some contexts are not followed, so unknown ids are no fault. */
  #hasUnknown = false;

  get isBusy(): boolean {
    return [...this.#contexts.values()].some(({ isActive, hasText }) => isActive && hasText);
  }

  override opened(): void {
    const { address } = this.world;
    this.#idle.start();
    if (address !== null) this.#version = judgeAddress(address, this);
  }

  sent(fields: Fields | null): void {
    this.#idle.start();
    const message = fields && readSentMessage(fields, this, this.#version);
    if (!message) return;
    const { context: id, isCancel } = message;
    const known = id === null ? undefined : this.#contexts.get(id);
    if (isCancel) {
      known?.cancel();
      if (known || this.#hasUnknown || id === null) return;
      this.report('cancel-unknown', 'expected that of a request, got another', 'context_id');
    } else if (id === null) {
      // Versions before 2026-03-01 give it an id that no message names.
      this.#hasUnknown = true;
    } else {
      const context = known ?? this.#begin(id, message);
      const isNew = !context.hasText;
      context.sent(message);
      if (isNew && context.hasText && this.turns !== null) this.turns += 1;
    }
  }

  received(fields: Fields | null): void {
    this.#idle.start();
    const read = fields && readReceivedFrame(fields, this, this.#version);
    if (!read) return;
    const { context: id, type, status } = read;
    if (status === TOO_MANY) this.#reportTooMany(id);
    if (id === null) return;
    const context = this.#contexts.get(id);
    if (context) context.received(read);
    else if (!this.#hasUnknown && type !== 'error') {
      const details = { context: id, field: 'context_id' };
      this.once('speech-unasked', 'expected that of a request, got another', details);
    }
  }

  override closed(): void {
    for (const { buffered: related } of this.#contexts.values())
      if (related)
        this.once('context-unended', 'expected an end or a flush before it, got none', { related });
  }

  #begin(id: string, message: SentMessage): FollowedContext {
    const context = new FollowedContext(this.world, id, message);
    const others = [...this.#contexts.values()];
    for (const other of others) if (deepEqual(other.voice, context.voice)) other.leave();
    this.#hasUnknown ||= others.length === MAX_FOLLOWED;
    remember(this.#contexts, id, context, MAX_FOLLOWED);
    if (others.filter(({ isActive }) => isActive).length >= MAX_CONTEXTS) this.#reportTooMany(id);
    return context;
  }

  #reportTooMany(context: string | null): void {
    const message = `expected at most ${MAX_CONTEXTS} contexts without done, got one more`;
    this.once('too-many-contexts', message, { context });
  }
}
