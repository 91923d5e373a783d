import { messageOf } from './message-of.ts';

/**
 * Calls between threads over a port: one end serves an object's methods, the other end calls them as async functions.
 * Every call is answered with a value or an error. Arguments and results are cloned, except that a `MessagePort` is moved,
 * an `AbortSignal` becomes a signal of the other thread, and a function is called back until the call is answered.
 *
 * Comlink is no substitute, because an answer may overtake its callbacks, which have ports of their own, and its calls stay
 * open when a worker stops. birpc passes on neither callbacks nor signals nor ports.
 */

/** The part of a `MessagePort`, a `Worker` or a worker's scope that calls need. */
export interface CallPort {
  postMessage(message: unknown, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

type Method = (...args: never[]) => unknown;

/** The methods of `T` as another thread calls them. A call rejects with the error's message. */
export type Remote<T> = {
  readonly [Name in keyof T as T[Name] extends Method ? Name : never]: T[Name] extends (
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

type Request =
  | { type: 'call'; call: number; method: string; args: readonly unknown[]; standIns: readonly StandIn[] }
  | { type: 'abort'; call: number; at: number };

/** An argument that cannot be cloned, by its place. */
interface StandIn {
  at: number;
  kind: 'callback' | 'signal';
  isAborted: boolean;
}

type Reply =
  | { type: 'value'; call: number; value: unknown }
  | { type: 'error'; call: number; message: string }
  | { type: 'callback'; call: number; at: number; args: readonly unknown[] };

/** Serves the methods of objects, those of their classes included. Replaces the port's `onmessage`. */
export function serveCalls(port: CallPort, ...objects: readonly object[]): void {
  const signals = new Map<string, AbortController>();
  const post = (reply: Reply): void => port.postMessage(reply, []);

  const received = ({ at, kind, isAborted }: StandIn, call: number): unknown => {
    if (kind === 'callback') return (...args: unknown[]) => post({ type: 'callback', call, at, args });
    const abort = new AbortController();
    if (isAborted) abort.abort();
    signals.set(`${call} ${at}`, abort);
    return abort.signal;
  };

  port.onmessage = ({ data }: MessageEvent<Request>) => {
    if (data.type === 'abort') {
      signals.get(`${data.call} ${data.at}`)?.abort();
      return;
    }
    const { call, method, standIns } = data;
    const fail = (error: unknown): void => {
      for (const { at } of standIns) signals.delete(`${call} ${at}`);
      post({ type: 'error', call, message: messageOf(error) });
    };
    const answer = (value: unknown): void => {
      for (const { at } of standIns) signals.delete(`${call} ${at}`);
      try {
        post({ type: 'value', call, value });
      } catch (error) {
        // A result that cannot be cloned would leave the caller without an answer.
        fail(error);
      }
    };
    try {
      const args = [...data.args];
      for (const standIn of standIns) args[standIn.at] = received(standIn, call);
      const owner = objects.find((one) => typeof Reflect.get(one, method) === 'function');
      if (!owner) throw new TypeError(`The worker has no method “${method}”.`);
      const result: unknown = Reflect.get(owner, method).apply(owner, args);
      // A result that is there at once is posted at once, so that answers keep their order with callbacks.
      if (result instanceof Promise) result.then(answer, fail);
      else answer(result);
    } catch (error) {
      fail(error);
    }
  };
}

/** One end of a port whose other end serves `T`. */
export interface CallConnection<T> {
  readonly calls: Remote<T>;
  /** Rejects all open calls and all later ones. @param reason the message of their errors */
  dispose(reason?: string): void;
}

interface OpenCall {
  args: readonly unknown[];
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  release: () => void;
}

/** Calls the methods that the other end serves. Replaces the port's `onmessage`. */
export function connectCalls<T extends object>(port: CallPort): CallConnection<T> {
  const open = new Map<number, OpenCall>();
  let lastCall = 0;
  let endReason: string | null = null;

  port.onmessage = ({ data }: MessageEvent<Reply>) => {
    const found = open.get(data.call);
    if (!found) return;
    if (data.type === 'callback') {
      const callback = found.args[data.at];
      if (typeof callback === 'function') callback(...data.args);
      return;
    }
    open.delete(data.call);
    found.release();
    if (data.type === 'value') found.resolve(data.value);
    else found.reject(new Error(data.message));
  };

  const send = (method: string, args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (endReason !== null) throw new Error(endReason);
      lastCall += 1;
      const call = lastCall;
      const standIns: StandIn[] = [];
      const releases: (() => void)[] = [];
      args.forEach((value, at) => {
        if (typeof value === 'function') standIns.push({ at, kind: 'callback', isAborted: false });
        else if (value instanceof AbortSignal) {
          standIns.push({ at, kind: 'signal', isAborted: value.aborted });
          const abort = (): void => port.postMessage({ type: 'abort', call, at } satisfies Request, []);
          value.addEventListener('abort', abort);
          releases.push(() => value.removeEventListener('abort', abort));
        }
      });
      const request: Request = {
        type: 'call',
        call,
        method,
        args: args.map((value, at) => (standIns.some((standIn) => standIn.at === at) ? null : value)),
        standIns,
      };
      const release = (): void => {
        for (const task of releases) task();
      };
      open.set(call, { args, resolve, reject, release });
      try {
        port.postMessage(
          request,
          args.filter((value) => value instanceof MessagePort),
        );
      } catch (error) {
        open.delete(call);
        release();
        throw error;
      }
    });

  return {
    calls: remoteOf<T>(send),
    dispose(reason = 'The connection is closed.') {
      endReason = reason;
      for (const { reject, release } of open.values()) {
        release();
        reject(new Error(reason));
      }
      open.clear();
    },
  };
}

/** The part of a `Worker` that {@link callWorker} needs. */
interface CalledWorker extends CallPort {
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

/**
 * Calls the object that a worker serves. `dispose` terminates the worker at once, also within a call.
 * @param stopped the reason of rejected calls where the worker has stopped by itself
 * @param here called in its place, where a thread can start no workers, because some browsers have none inside of workers
 */
export function callWorker<T extends object>(
  start: () => CalledWorker,
  stopped: string,
  here?: T,
): CallConnection<T> {
  if (here && typeof Worker === 'undefined') return callHere(here);
  const worker = start();
  const { calls, dispose } = connectCalls<T>(worker);
  // The worker stops before the first call where its code cannot be fetched.
  worker.onerror = () => dispose(stopped);
  return {
    calls,
    dispose(reason) {
      worker.terminate();
      dispose(reason);
    },
  };
}

/** Calls an object of this thread. Its arguments and results are not cloned. */
export function callHere<T extends object>(served: T): CallConnection<T> {
  const object: object = served;
  return {
    calls: remoteOf<T>(async (method, args) => Reflect.get(object, method).apply(object, args)),
    dispose() {},
  };
}

const remoteOf = <T>(call: (method: string, args: readonly unknown[]) => Promise<unknown>): Remote<T> =>
  new Proxy(
    {},
    {
      get: (_, name) =>
        // A promise that resolves with the proxy must not take it for another promise.
        typeof name === 'string' && name !== 'then' ? (...args: unknown[]) => call(name, args) : undefined,
    },
  ) as Remote<T>;
