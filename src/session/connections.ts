import { madeOnce } from '#lib/collections/maps.ts';
import { keylessAddress } from '#protocol/core/address.ts';
import type { AudioFormat } from '#protocol/core/audio-format.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import { LOCAL_KEY } from '#protocol/core/servers.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { FaultReport } from '#trace/capture-messages.ts';
import { FAULT_KIND } from '#trace/entry.ts';
import type { Speaker, Target } from './commands.ts';
import type { Link, SessionEnvironment } from './link.ts';
import type { Publisher } from './publisher.ts';
import { NO_TRAFFIC, type Recorder } from './recorder/recorder.ts';
import { type Carried, Route, type RouteEvents } from './route.ts';
import type { ConnectionState, ConnectionView, Traffic } from './views.ts';

/** News of connections for their session. */
export type ConnectionEvents = Omit<RouteEvents, 'opening'>;

export interface ConnectionOptions {
  network: SessionEnvironment;
  recorder: Recorder;
  publisher: Publisher;
  events: ConnectionEvents;
}

/** The state that is shown of several routes: the first of these that one of them is in. */
const SHOWN: readonly ConnectionState[] = [
  'open',
  'connecting',
  'retrying',
  'closing',
  'failed',
  'closed',
  'idle',
];

/**
 * The connections to one target. Speakers share a route, unless the address carries settings in which they differ, such as a
 * voice in its path.
 */
export class Connections {
  /** The settings of the connection that a person wants now. A turn is spoken under those of its first text. */
  wanted: Settings = {};
  /** Everyone who may speak, by context. */
  speakers: ReadonlyMap<string, Speaker> = new Map();
  endpoint: Endpoint = endpointOf(null);
  readonly #options: ConnectionOptions;
  readonly #events: RouteEvents;
  readonly #routes = new Map<string, Route>();
  #target: Target | null = null;
  /** The connection that was opened last, also after its end. */
  #newest: Link | null = null;
  #isMarkedOpen = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { events } = options;
    this.#events = {
      ...events,
      opening: (link) => {
        this.#newest = link;
      },
      opened: (route, link) => {
        this.#mark();
        events.opened(route, link);
      },
      closed: (route, link, closing) => {
        this.#mark();
        return events.closed(route, link, closing);
      },
      drained: (link, closing) => {
        this.#mark();
        events.drained(link, closing);
      },
      abandoned: (link) => {
        this.#mark();
        events.abandoned(link);
      },
      dropped: (route, link, carried) => {
        events.dropped(route, link, carried);
        this.#mark();
      },
    };
  }

  /** Number of the last entry; undefined where nothing is recorded. */
  get lastEntry(): number | undefined {
    return this.#options.recorder.lastNumber;
  }

  get key(): string {
    return this.#target?.key ?? '';
  }

  get routes(): readonly Route[] {
    return [...this.#routes.values()];
  }

  /** All that are open or on their way. */
  get links(): readonly Link[] {
    return this.routes.flatMap(({ links }) => links);
  }

  /** Frames that came wait for a decoder. */
  get isWaiting(): boolean {
    return this.links.some((link) => link.isWaiting);
  }

  /** Without the key. */
  get address(): string | null {
    return this.#shown?.view.address ?? null;
  }

  get state(): ConnectionState {
    return this.#shown?.state ?? 'idle';
  }

  get view(): ConnectionView {
    const { links } = this;
    const shown = this.#shown?.view ?? { ...NOT_AIMED, sinceMs: this.#options.network.nowMs() };
    const traffic = (links.length > 0 ? links : [this.#newest]).map((link) => link?.recorder.traffic);
    return {
      ...shown,
      ...traffic.reduce<Traffic>(added, NO_TRAFFIC),
      open: links.filter(({ wasOpen }) => wasOpen).length,
    };
  }

  /** The settings of that speaker's next turn; for anyone else, those of the first speaker. */
  settingsOf(context: string | null): Settings {
    const speaker = (context !== null && this.speakers.get(context)) || this.speakers.values().next().value;
    return speaker?.settings ?? {};
  }

  /** The route of that speaker's next turn. */
  of(context: string | null): Route | null {
    return this.routeWith(this.settingsOf(context));
  }

  /** The route of all turns whose speaker had these settings when they began. */
  routeWith(settings: Settings): Route | null {
    const target = this.#target;
    if (!target) return null;
    const placed = this.placedIn({ ...this.wanted, ...settings });
    const address = keylessAddress(this.endpoint, '', placed);
    const { network, recorder, publisher } = this.#options;
    const { endpoint } = this;
    const wanted = (): Settings => this.wanted;
    const parts = { network, recorder, publisher, endpoint, target, placed, wanted, events: this.#events };
    return madeOnce(this.#routes, address, () => new Route(parts));
  }

  /** Returns the route of a connection; null where it has ended. */
  routeOf(link: Link): Route | null {
    return this.routes.find(({ links }) => links.includes(link)) ?? null;
  }

  /** Those of the settings that speakers choose and an address carries. */
  placedIn(settings: Settings): Settings {
    const placed = (this.endpoint.contexts?.settings ?? []).filter(
      ({ field, place }) => place !== undefined && settings[field] !== undefined,
    );
    return Object.fromEntries(placed.map(({ field }) => [field, settings[field]]));
  }

  isAimedAt({ endpoint, base, key }: Target): boolean {
    const target = this.#target;
    return target?.endpoint === endpoint && target.base === base && target.key === key;
  }

  /** Sets the destination of the next `open`, and drops the present connections. */
  aim(target: Target): void {
    this.drop('nothing');
    this.#routes.clear();
    this.endpoint = endpointOf(target.endpoint);
    this.#target = target;
    this.#newest = null;
    const address = (): string => this.of(null)?.address ?? target.base;
    // The local server's key is printed in its README. Redacting it would remove an ordinary word.
    const secret = target.key === LOCAL_KEY ? '' : target.key;
    this.#options.recorder.aim(this.endpoint.id, address, secret);
    this.#options.publisher.changed('connection');
  }

  /** Connects for the next turn of the first speaker. */
  open(): void {
    this.of(null)?.open();
  }

  /** Takes settings and format of the next connection from a recording. Returns its route. */
  openAs(settings: Settings | null, format: AudioFormat | null): Route | null {
    if (settings) this.wanted = settings;
    const route = this.routeWith({});
    route?.openAs(format);
    return route;
  }

  /** Drops all connections. */
  drop(carried: Carried): void {
    for (const route of this.routes) route.drop(carried);
  }

  /** Drops the routes of no speaker and no waiting turn, once nothing is spoken on them. */
  dropUnused(waiting: readonly Pick<Speaker, 'settings'>[], isSpeaking: (link: Link) => boolean): void {
    if (this.#routes.size < 2) return;
    const routesOf = (all: readonly Pick<Speaker, 'settings'>[]) =>
      new Set(all.map(({ settings }) => this.routeWith(settings)));
    const used = routesOf([...this.speakers.values(), { settings: this.settingsOf(null) }]);
    const left = [...this.#routes].filter(([, route]) => !used.has(route) && !route.links.some(isSpeaking));
    if (left.length === 0) return;
    // Any number of lines may wait, and this runs for each frame.
    const awaited = routesOf(waiting);
    for (const [address, route] of left) {
      if (awaited.has(route)) continue;
      this.#routes.delete(address);
      route.drop('nothing');
    }
  }

  /** Takes the report of a fault on purpose, which may be one of another connection. */
  faultReported({ mark, what, atMs }: FaultReport): void {
    if (mark === this.#target?.mark) this.injected(what, atMs);
  }

  /** Notes a fault on purpose. @param atMs on the server's clock */
  injected(what: string, atMs: number): void {
    const { network, publisher } = this.#options;
    // The report comes by another socket than the frame, and another machine may have another time.
    const injectedMs = Math.min(network.nowMs(), Math.max(this.#newest?.startedMs ?? 0, atMs));
    const frame = this.#newest?.recorder.happened(FAULT_KIND, { what }, injectedMs);
    publisher.mark('fault', injectedMs, { text: what, frame });
  }

  get #shown(): Route | null {
    const { routes } = this;
    for (const state of SHOWN) {
      const route = routes.findLast((candidate) => candidate.state === state);
      if (route) return route;
    }
    return this.of(null);
  }

  #mark(): void {
    const isOpen = this.links.some(({ wasOpen }) => wasOpen);
    if (isOpen === this.#isMarkedOpen) return;
    this.#isMarkedOpen = isOpen;
    const { network, publisher } = this.#options;
    publisher.mark(isOpen ? 'connected' : 'disconnected', network.nowMs());
  }
}

const NOT_AIMED = { state: 'idle', handshakeMs: null, address: null, close: null, retry: null } as const;

const added = (sum: Traffic, traffic: Traffic = NO_TRAFFIC): Traffic => ({
  framesSent: sum.framesSent + traffic.framesSent,
  framesReceived: sum.framesReceived + traffic.framesReceived,
  bytesSent: sum.bytesSent + traffic.bytesSent,
  bytesReceived: sum.bytesReceived + traffic.bytesReceived,
});
