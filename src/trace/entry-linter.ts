import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { Finding, Linter, LintMoment, Rule } from '#protocol/core/rule.ts';
import { openLinter } from '#protocol/rules.ts';
import { closeOf, isClose, openingOf } from './connection.ts';
import { LOST_KIND, type RecordHead } from './entry.ts';

/** Checks entries of a recording, live or stored, by the rules of its endpoint. */
export class EntryLinter {
  readonly #linter: Linter | null;
  /** Connections with a missing payload, whose later frames could seem to break rules. */
  readonly #torn = new Set<number>();
  /** Of connections that are opening. */
  readonly #addresses = new Map<number, string>();
  /** Entries that could not be checked. */
  unread = 0;

  /** @param endpoint its registry name; an unknown one has no rules */
  constructor(endpoint: string) {
    this.#linter = openLinter(endpoint);
  }

  get rules(): readonly Rule[] {
    return this.#linter?.rules ?? [];
  }

  /** The earliest possible time-out; infinite without one. */
  get dueUs(): number {
    return this.#linter?.dueUs ?? Number.POSITIVE_INFINITY;
  }

  /** Advances the clock without an entry. */
  pass(atUs: number): readonly Finding[] {
    return this.#linter?.pass(atUs) ?? [];
  }

  /** @param payload null where it was not kept */
  take(
    head: Pick<RecordHead, 'index' | 'atUs' | 'connection' | 'direction' | 'kind'>,
    payload: Frame | null,
  ): readonly Finding[] {
    const linter = this.#linter;
    const { index, atUs, connection, direction, kind } = head;
    // The protocol has no rules for playback.
    if (!linter || direction === 'player') return [];
    const moment = { index, atUs, connection };
    if (this.#torn.has(connection)) {
      this.unread += 1;
      return [];
    }
    if (payload === null || kind === LOST_KIND) return this.#tear(linter, moment);
    if (direction !== 'connection') {
      // An imported connection opens with its first message.
      const opened = this.#addresses.has(connection) ? this.#opened(linter, moment) : [];
      const found = linter.feed({ index, atUs, connection, direction, payload });
      return opened.length === 0 ? found : [...opened, ...found];
    }
    const opening = openingOf({ direction, kind, payload });
    if (opening) this.#addresses.set(connection, opening.address);
    if (kind === 'opened') return this.#opened(linter, moment);
    if (isClose(head)) return linter.closed({ ...moment, code: closeOf(payload).code });
    return [];
  }

  #opened(linter: Linter, moment: LintMoment): readonly Finding[] {
    const address = this.#addresses.get(moment.connection);
    this.#addresses.delete(moment.connection);
    return linter.opened(moment, address);
  }

  #tear(linter: Linter, moment: LintMoment): readonly Finding[] {
    this.unread += 1;
    this.#torn.add(moment.connection);
    const found = linter.pass(moment.atUs);
    // Ends all time-outs of the connection. Rules that this seems to break are no findings.
    linter.closed({ ...moment, code: CLOSE_CODES.normal });
    return found;
  }
}
