import type { EndpointId } from '#protocol/core/endpoint.ts';
import type { Finding } from '#protocol/core/rule.ts';
import { openLinter } from '#protocol/linters.ts';
import { endpointOf } from '#protocol/registry.ts';
import { misread, type WireFrame } from '#trace/noted-speech.test-helper.ts';
import type { FakeClock } from './fake-clock.test-helper.ts';

/** A session's frames as its client has them, over a network that takes its time, and what is wrong with them. */
export class LintedWire {
  readonly findings: Finding[] = [];
  /** For the client. */
  isClosed = false;
  readonly #endpoint: EndpointId;
  readonly #linter;
  readonly #frames: WireFrame[] = [];
  readonly #clock: FakeClock;
  /** Of each way. */
  readonly #latencyMs: number;
  #index = 0;

  /** @param address of the connection, where rules depend on it */
  constructor(endpoint: EndpointId, clock: FakeClock, latencyMs: number, address?: string) {
    this.#endpoint = endpoint;
    this.#linter = openLinter(endpoint);
    this.#clock = clock;
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
    this.findings.push(...this.#linter.pass(this.#clock.nowMs() * 1000));
  }

  #feed(frame: WireFrame): void {
    this.findings.push(...this.#linter.feed({ ...this.#moment(), ...frame }));
    this.#frames.push(frame);
  }

  #arrive(deliver: () => void): void {
    if (this.#latencyMs === 0) deliver();
    else this.#clock.after(this.#latencyMs, deliver);
  }

  #moment() {
    const moment = { index: this.#index, atUs: this.#clock.nowMs() * 1000, connection: 1 };
    this.#index += 1;
    return moment;
  }
}
