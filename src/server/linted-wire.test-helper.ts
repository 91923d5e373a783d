import type { EndpointId } from '#protocol/core/endpoint.ts';
import type { Finding } from '#protocol/core/rule.ts';
import { endpointOf } from '#protocol/registry.ts';
import { openLinter } from '#protocol/rules.ts';
import { misread, type WireFrame } from '#trace/noted-speech.test-helper.ts';
import { createFakeClock, type FakeClock, settle } from './fake-clock.test-helper.ts';
import { clientText, type SessionWorld, type WorldClient } from './session-world.test-helper.ts';

/** One step of a session: a message, a wait in ms, or an event at the server. */
export type LintedStep = object | number | 'engine fails' | 'going away';

/** Lets messages arrive, and a long generation end, before any time-out. */
const ROUNDS_OF_REST = 10;

/** A session's frames as its client has them, over a network that takes its time, and what is wrong with them. */
export class LintedWire implements WorldClient {
  readonly findings: Finding[] = [];
  /** For the client. */
  isClosed = false;
  readonly #endpoint: EndpointId;
  readonly #linter;
  readonly #frames: WireFrame[] = [];
  readonly clock: FakeClock;
  /** Of each way. */
  readonly #latencyMs: number;
  #index = 0;

  /** @param address of the connection, where rules depend on it */
  constructor(endpoint: EndpointId, latencyMs: number, address?: string, clock = createFakeClock()) {
    this.#endpoint = endpoint;
    this.#linter = openLinter(endpoint);
    this.clock = clock;
    this.#latencyMs = latencyMs;
    this.findings.push(...this.#linter.opened(this.#moment(), address));
  }

  /** Everything but advice. */
  get wrong(): Finding[] {
    return this.findings.filter(({ severity }) => severity !== 'advice');
  }

  /** Leaves out what a client does wrong itself. */
  get wrongOfServer(): Finding[] {
    return this.wrong.filter(({ group }) => group !== 'client' && group !== 'limits');
  }

  /** What a reader of the frames gets wrong about their turns. */
  get misread(): string[] {
    return misread(endpointOf(this.#endpoint), this.#frames);
  }

  /** The client sends a message, which the server takes on arrival. */
  sends(payload: string, take: () => void): void {
    this.#feed({ direction: 'out', payload });
    this.#arrive(take);
  }

  receives(payload: string | Uint8Array, then?: () => void): void {
    this.#arrive(() => {
      this.#feed({ direction: 'in', payload });
      then?.();
    });
  }

  closes(code: number): void {
    this.#arrive(() => {
      this.isClosed = true;
      this.findings.push(...this.#linter.closed({ ...this.#moment(), code }));
    });
  }

  /** Time has passed. */
  passes(): void {
    this.findings.push(...this.#linter.pass(this.clock.nowMs() * 1000));
  }

  /** Takes the steps, and those of a client that goes on for some time. Nothing is sent once the connection is closed. */
  async play(
    { clock, engine, session }: Pick<SessionWorld, 'clock' | 'engine' | 'session'>,
    steps: readonly LintedStep[],
  ): Promise<this> {
    for (const step of steps) {
      if (step === 'engine fails') engine.failNext();
      else if (step === 'going away') session.goingAway();
      else if (typeof step === 'number') {
        const arrivalMs = Math.min(step, this.#latencyMs);
        await clock.advance(arrivalMs);
        for (let round = 0; round < ROUNDS_OF_REST; round += 1) await settle();
        await clock.advance(step - arrivalMs);
        this.passes();
      } else if (!this.isClosed) {
        const payload = clientText(this.#endpoint, step);
        this.sends(payload, () => session.text(payload));
        await settle();
      }
    }
    return this;
  }

  #feed(frame: WireFrame): void {
    this.findings.push(...this.#linter.feed({ ...this.#moment(), ...frame }));
    this.#frames.push(frame);
  }

  #arrive(deliver: () => void): void {
    if (this.#latencyMs === 0) deliver();
    else this.clock.after(this.#latencyMs, deliver);
  }

  #moment() {
    const moment = { index: this.#index, atUs: this.clock.nowMs() * 1000, connection: 1 };
    this.#index += 1;
    return moment;
  }
}
