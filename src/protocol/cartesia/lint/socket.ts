import { remember } from '#lib/collections/maps.ts';
import { deepEqual } from '#lib/deep-equal.ts';
import { type LintClose, type Linter, type LintFrame, type LintMoment, momentOf } from '../../core/rule.ts';
import { type Deadline, SECOND_US } from '../../lint/deadlines.ts';
import type { Findings } from '../../lint/findings.ts';
import { type CheckWorld, type ConnectionCheck, ConnectionsLinter } from '../../lint/linter.ts';
import { readClientText } from '../../lint/message.ts';
import { MAX_CONTEXTS } from '../wire/settings.ts';
import type { Version } from '../wire/versions.ts';
import { judgeAddress } from './address.ts';
import { readSentMessage, type SentMessage } from './client.ts';
import { FollowedContext } from './context.ts';
import { CARTESIA_RULES, type CartesiaRuleId } from './rules.ts';
import { readReceivedFrame } from './server.ts';

/** The linter of `/tts/websocket`. */
export const openCartesiaLinter = (): Linter =>
  new ConnectionsLinter(CARTESIA_RULES, (world) => new SocketCheck(world));

/** A minute before the server closes (`facts-cartesia` Q1). */
const IDLE_US = 240 * SECOND_US;
/** Limits the followed contexts, because a recording has no end. */
const MAX_FOLLOWED = 64;
const TOO_MANY = 429;

class SocketCheck implements ConnectionCheck {
  turns: number | null = 0;
  readonly #world: CheckWorld<CartesiaRuleId>;
  readonly #findings: Findings<CartesiaRuleId>;
  /** By id, also those that are over. */
  readonly #contexts = new Map<string, FollowedContext>();
  readonly #idle: Deadline;
  /** Null where the address does not name it. */
  #version: Version | null = null;
  #lastAt: LintMoment | null = null;
  /** Some contexts are not followed, so unknown ids are no fault. */
  #hasUnknown = false;

  constructor(world: CheckWorld<CartesiaRuleId>) {
    this.#world = world;
    this.#findings = world.findings;
    this.#idle = world.deadlines.create((atUs) => {
      const message = `expected a frame, got none for ${IDLE_US / SECOND_US} s`;
      if (this.#lastAt) this.#findings.once('idle-near', this.#lastAt, message, { atUs });
      // The server closes it, so the next turn needs another one.
      this.turns = null;
    });
  }

  get isBusy(): boolean {
    return [...this.#contexts.values()].some(({ isActive, hasText }) => isActive && hasText);
  }

  opened(at: LintMoment): void {
    const { address } = this.#world;
    this.#touch(at);
    if (address !== null) this.#version = judgeAddress(address, at, this.#findings);
  }

  sent(frame: LintFrame): void {
    const at = this.#touch(momentOf(frame));
    const fields = readClientText(frame, this.#findings);
    const message = fields && readSentMessage(fields, at, this.#findings, this.#version);
    if (!message) return;
    const { context: id, isCancel } = message;
    const known = id === null ? undefined : this.#contexts.get(id);
    if (isCancel) {
      known?.cancel(at);
      if (known || this.#hasUnknown || id === null) return;
      this.#findings.report('cancel-unknown', at, 'expected that of a request, got another', 'context_id');
    } else if (id === null) {
      // Versions before 2026-03-01 give it an id that no message names.
      this.#hasUnknown = true;
    } else {
      const context = known ?? this.#begin(id, message, at);
      const isNew = !context.hasText;
      context.sent(message, at);
      if (isNew && context.hasText && this.turns !== null) this.turns += 1;
    }
  }

  received(frame: LintFrame): void {
    const at = this.#touch(momentOf(frame));
    const read = readReceivedFrame(frame, this.#findings, this.#version);
    if (!read) return;
    const { context: id, type, status } = read;
    if (status === TOO_MANY) this.#reportTooMany(at, id);
    if (id === null) return;
    const context = this.#contexts.get(id);
    if (context) context.received(read, at);
    else if (!this.#hasUnknown && type !== 'error') {
      const details = { context: id, field: 'context_id' };
      this.#findings.once('speech-unasked', at, 'expected that of a request, got another', details);
    }
  }

  closed(at: LintClose): void {
    this.#idle.clear();
    for (const context of this.#contexts.values()) {
      context.clear();
      const { buffered: related } = context;
      const message = 'expected an end or a flush before it, got none';
      if (related) this.#findings.once('context-unended', at, message, { related });
    }
  }

  #begin(id: string, message: SentMessage, at: LintMoment): FollowedContext {
    const context = new FollowedContext(this.#world, id, message, at);
    const others = [...this.#contexts.values()];
    for (const other of others) if (deepEqual(other.voice, context.voice)) other.leave(at);
    this.#hasUnknown ||= others.length === MAX_FOLLOWED;
    remember(this.#contexts, id, context, MAX_FOLLOWED);
    if (others.filter(({ isActive }) => isActive).length >= MAX_CONTEXTS) this.#reportTooMany(at, id);
    return context;
  }

  #reportTooMany(at: LintMoment, context: string | null): void {
    const message = `expected at most ${MAX_CONTEXTS} contexts without done, got one more`;
    this.#findings.once('too-many-contexts', at, message, { context });
  }

  #touch(at: LintMoment): LintMoment {
    this.#lastAt = at;
    this.#idle.set(at.atUs + IDLE_US);
    return at;
  }
}
