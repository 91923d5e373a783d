import { loadProtocolOf } from '#protocol/protocols.ts';
import type { CapturedClient, CaptureMessage, FaultReport } from '#trace/capture-messages.ts';
import { bareAddress } from '#trace/known-endpoint.ts';
import type { RecordingEnvironment } from '../environment.ts';
import type { StoredRecording } from '../store/database.ts';
import type { MemoryReason } from '../store/live-recording.ts';
import type { RecordingWriter } from '../store/recording-writer.ts';
import { Tail } from '../store/tail.ts';
import { GONE } from '../view/viewer.ts';
import { CaptureReader } from './capture-reader.ts';
import type { CaptureSocket } from './capture-socket.ts';
import { type ClientView, clientName } from './client-view.ts';

/** Waits before each try to connect again; the last one repeats. */
const RETRY_AFTER_MS = [1000, 2000, 5000, 15_000, 30_000] as const;

const CLIENT_GONE = 'The server does not keep this client any more.';

type EntriesMessage = Extract<CaptureMessage, { type: 'entries' }>;

/** A client whose entries come into a recording. */
interface Watched {
  client: string;
  recording: string;
  startedAtMs: number;
  reader: CaptureReader;
  tail: Tail;
  /** Entries so far, and those of them that come again after a lost connection. */
  received: number;
  again: number;
  isUnstored: boolean;
}

export interface ClientsOptions {
  environment: RecordingEnvironment;
  writer: RecordingWriter;
  /** Newest first; null while there is no connection to the server. */
  report: (clients: readonly ClientView[] | null, growing: readonly string[]) => void;
  /** A fault was injected into a connection, of this page or another one. */
  injected: (fault: FaultReport) => void;
  /** More is known of a growing recording. */
  grew: (recording: string) => void;
  /** The recording of a client is only in memory. */
  unstored: (reason: MemoryReason) => void;
}

/** A client whose recording may still grow. */
export interface OpenedClient {
  recording: StoredRecording;
  /** It can be followed, because it grew since the page was opened. */
  follows: boolean;
}

/** The other clients of the page's server. Those that a person opens are recorded beside the live session. */
export class Clients {
  readonly #options: ClientsOptions;
  readonly #known = new Map<string, CapturedClient>();
  /** By client. */
  readonly #watched = new Map<string, Watched>();
  /** Recordings by client, also those that have ended. */
  readonly #recordings = new Map<string, string>();
  readonly #opening = new Map<string, Promise<string>>();
  /** By recording, also of those that have ended. */
  readonly #tails = new Map<string, Tail>();
  #socket: CaptureSocket | null = null;
  /** Since the first list of this connection. */
  #isConnected = false;
  #isStarted = false;
  #tries = 0;

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  /** Connects, and reports the list from now on. */
  watchClients(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#connect();
  }

  /** Null for a recording that did not grow since the page was opened. */
  tailOf(recording: string): Tail | null {
    return this.#tails.get(recording) ?? null;
  }

  /**
   * Records a client from its first kept entry on, in a recording of its own, which may be there already.
   * @throws Error where the server does not keep the client any more
   */
  async openClient(client: string): Promise<OpenedClient> {
    const id = this.#recordings.get(client) ?? (await this.#openOnce(client));
    const { writer } = this.#options;
    const recording = writer.growing(id)?.info ?? (await (await writer.store())?.get(id));
    if (!recording) throw new Error(GONE);
    return { recording, follows: this.tailOf(id) !== null };
  }

  /** Stops recording a client whose recording is deleted. */
  forget(recording: string): void {
    this.#tails.delete(recording);
    for (const [client, of] of this.#recordings) if (of === recording) this.#recordings.delete(client);
    for (const watched of [...this.#watched.values()])
      if (watched.recording === recording) this.#stop(watched);
    this.#report();
  }

  #openOnce(id: string): Promise<string> {
    const opening = this.#opening.get(id) ?? this.#open(id).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  async #open(id: string): Promise<string> {
    const stored = await this.#storedOf(this.#known.get(id));
    await loadProtocolOf(this.#known.get(id)?.endpoint ?? null);
    // The server may have dropped the client meanwhile.
    const client = this.#known.get(id);
    if (!client) throw new Error(CLIENT_GONE);
    const recording = stored ?? this.#watch(client);
    this.#recordings.set(id, recording);
    this.#report();
    return recording;
  }

  #watch(client: CapturedClient): string {
    const { id, endpoint, startedAtMs } = client;
    const address = bareAddress(client.address);
    const recording = this.#options.writer.beginBeside(
      { endpoint, address, startedAtMs },
      clientName(client),
    );
    const tail = new Tail();
    const reader = new CaptureReader(client);
    this.#watched.set(id, {
      client: id,
      recording,
      startedAtMs,
      reader,
      tail,
      received: 0,
      again: 0,
      isUnstored: false,
    });
    this.#tails.set(recording, tail);
    this.#socket?.send({ type: 'watch', client: id });
    return recording;
  }

  /** The last part of the whole recording of a client that was opened before a reload. */
  async #storedOf(client: CapturedClient | undefined): Promise<string | null> {
    if (!client?.end) return null;
    const { endpoint, address, startedAtMs, end } = client;
    const stored = (await (await this.#options.writer.store())?.list()) ?? [];
    const same = stored.filter((one) => one.endpoint === endpoint && one.address === bareAddress(address));
    same.sort((a, b) => a.startedAtMs - b.startedAtMs);
    let last = same.find((one) => one.part === undefined && one.startedAtMs === startedAtMs);
    for (let part = 2; last; part += 1) {
      const endMs = last.startedAtMs + last.durationUs / 1000;
      if (endMs >= end.atMs - 1) return last.id;
      last = same.find((one) => one.part === part && one.startedAtMs >= endMs - 1);
    }
    return null;
  }

  #connect(): void {
    this.#socket = this.#options.environment.openCapture({
      received: (message) => this.#received(message),
      ended: (isOff) => this.#ended(isOff),
    });
  }

  #ended(isOff: boolean): void {
    this.#isConnected = false;
    this.#socket = null;
    this.#known.clear();
    this.#report();
    if (isOff) return;
    const delayMs = RETRY_AFTER_MS[Math.min(this.#tries, RETRY_AFTER_MS.length - 1)] ?? 0;
    this.#tries += 1;
    this.#options.environment.after(delayMs, () => this.#connect());
  }

  #received(message: CaptureMessage): void {
    if (message.type === 'clients') this.#list(message.changed, message.gone);
    else if (message.type === 'entries') this.#take(message);
    else this.#options.injected(message);
  }

  #list(changed: readonly CapturedClient[], gone: readonly string[]): void {
    const isFirst = !this.#isConnected;
    this.#isConnected = true;
    this.#tries = 0;
    for (const client of changed) this.#known.set(client.id, client);
    for (const id of gone) {
      this.#known.delete(id);
      const watched = this.#watched.get(id);
      if (watched) this.#stop(watched);
    }
    if (isFirst) this.#watchAgain();
    this.#report();
  }

  /** After a lost connection the server begins again with the first entry, or has restarted and knows none of them. */
  #watchAgain(): void {
    for (const watched of [...this.#watched.values()]) {
      if (!this.#known.has(watched.client)) this.#stop(watched);
      else {
        watched.again = Math.max(watched.again, watched.received);
        watched.received = 0;
        this.#socket?.send({ type: 'watch', client: watched.client });
      }
    }
  }

  #take({ client, entries, lost, untilMs, sentAtMs, isLast }: EntriesMessage): void {
    const watched = this.#watched.get(client);
    if (!watched) return;
    const { reader, startedAtMs } = watched;
    const isNew = (): boolean => watched.received > watched.again;
    const before = watched.received;
    watched.received += lost;
    const missing = watched.received - Math.max(before, watched.again);
    const added = lost > 0 && missing > 0 ? [reader.lost(missing)] : [];
    for (const entry of entries) {
      watched.received += 1;
      if (isNew()) added.push(reader.read(entry));
    }
    const { environment, writer, grew } = this.#options;
    const live = writer.appendBeside(watched.recording, added);
    if (!live) {
      this.#stop(watched);
      return;
    }
    if (live.info.id !== watched.recording) this.#goOn(watched, live.info.id);
    this.#noteStored(watched);
    const { fromUs } = live;
    const baseMs = environment.nowMs() - (sentAtMs - startedAtMs) + fromUs / 1000;
    watched.tail.advance(reader.usAt(untilMs) - fromUs, baseMs);
    if (isLast) this.#stop(watched);
    else grew(watched.recording);
  }

  /** Its recording has become full, and goes on in another one. */
  #goOn(watched: Watched, recording: string): void {
    watched.tail.end();
    this.#options.grew(watched.recording);
    watched.recording = recording;
    watched.tail = new Tail();
    this.#tails.set(recording, watched.tail);
    this.#recordings.set(watched.client, recording);
    this.#report();
  }

  #noteStored(watched: Watched): void {
    const { writer, unstored } = this.#options;
    const reason = writer.growing(watched.recording)?.memoryReason ?? null;
    if (reason === null || watched.isUnstored) return;
    watched.isUnstored = true;
    unstored(reason);
  }

  #stop({ client, recording, tail }: Watched): void {
    this.#watched.delete(client);
    if (this.#known.has(client)) this.#socket?.send({ type: 'unwatch', client });
    tail.end();
    this.#options.writer.end(recording);
    this.#options.grew(recording);
    this.#report();
  }

  #report(): void {
    const views = [...this.#known.values()].map(
      (client): ClientView => ({ ...client, recording: this.#recordings.get(client.id) ?? null }),
    );
    views.sort((a, b) => b.startedAtMs - a.startedAtMs);
    const growing = [...this.#watched.values()].map(({ recording }) => recording);
    this.#options.report(this.#isConnected ? views : null, growing);
  }
}
