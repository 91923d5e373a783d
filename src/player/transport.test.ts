import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { LOG_ENTRIES, MAX_WAIT, TARGET } from './layout.ts';
import { Mixer } from './mixer.worklet.ts';
import { openSink, type SinkOptions, type Transport } from './ring.ts';
import { portPair } from './testing/port-pair.ts';
import { marked } from './testing/traces.ts';
import type { TrackMessage, TrackPort } from './worklet-messages.ts';

const QUANTUM = 128;
/** Over messages, the status is as old as this. */
const REPORT_QUANTA = 4;

function setUp(options: SinkOptions, [worklet, worker] = portPair()) {
  const host = new Mixer();
  host.open('only', worklet);
  const sink = openSink(worker, options);
  let frame = 0;
  return {
    host,
    sink,
    render(quanta = 1): number[] {
      const heard: number[] = [];
      const output = new Float32Array(QUANTUM);
      for (let i = 0; i < quanta; i += 1) {
        host.process(output, new Float32Array(output.length), frame);
        frame += QUANTUM;
        for (const value of output) heard.push(value * 32_768);
      }
      return heard;
    },
  };
}

describe('the transport', () => {
  it.each([
    ['an isolated scope', true, SharedArrayBuffer, 'shared'],
    ['a scope that is not isolated', false, SharedArrayBuffer, 'message'],
    ['an isolated scope without shared memory', true, undefined, 'message'],
  ] as const)('of %s', (_, crossOriginIsolated, memory, transport) => {
    vi.stubGlobal('crossOriginIsolated', crossOriginIsolated);
    vi.stubGlobal('SharedArrayBuffer', memory);
    const { sink } = setUp({});
    vi.unstubAllGlobals();
    expect(sink.transport).toBe(transport);
  });
});

describe.each<Transport>(['shared', 'message'])('a sink over %s', (transport) => {
  it('plays written samples to the last one, and reports it', () => {
    const { sink, render } = setUp({ transport, capacity: 1024 });
    const samples = marked(1000, 1);
    samples[0] = 0;
    expect(sink.write(samples)).toBe(1000);
    sink.end();
    expect(render(12).slice(0, 1000)).toEqual([...samples]);
    expect(sink.status()).toMatchObject({
      epoch: 0,
      position: 1000,
      state: 'idle',
      underruns: 0,
      events: [
        { kind: 'started', position: 0, frame: 0, epoch: 0 },
        { kind: 'ended', position: 1000, frame: 1000, epoch: 0 },
      ],
      eventsLost: 0,
    });
    expect(sink.status().events).toEqual([]);
    expect(sink.room()).toBe(1024);
  });

  it('plays on where a halt comes late that was meant for the track before it', () => {
    const { sink, host, render } = setUp({ transport, startEpoch: 6 });
    host.handle({ type: 'halt', track: 'only', epoch: 5 });
    sink.write(marked(2000, 1));
    expect(render(REPORT_QUANTA).some((value) => value !== 0)).toBe(true);
    expect(sink.status()).toMatchObject({ epoch: 6, events: [{ kind: 'started', epoch: 6 }] });
    expect(sink.clear()).toBe(7);
    host.handle({ type: 'halt', track: 'only', epoch: 7 });
    sink.write(marked(2000, 2));
    render();
    expect(render(REPORT_QUANTA).every((value) => value === 0)).toBe(true);
  });

  it('honours the target and the halt of its track alone', () => {
    const { sink, host, render } = setUp({ transport });
    sink.setTarget(500, 100_000);
    sink.write(marked(400, 1));
    expect(render(REPORT_QUANTA).every((value) => value === 0)).toBe(true);
    expect(sink.status().state).toBe('buffering');
    sink.write(marked(400, 2));
    expect(render(REPORT_QUANTA).some((value) => value !== 0)).toBe(true);
    host.handle({ type: 'halt', track: 'other', epoch: 0 });
    expect(render().some((value) => value !== 0)).toBe(true);
    host.handle({ type: 'halt', track: 'only', epoch: sink.epoch });
    render();
    expect(render(REPORT_QUANTA).every((value) => value === 0)).toBe(true);
    expect(sink.status().state).toBe('idle');
  });

  it('shows the loudest sample of the last moments, and none when all is silent', () => {
    const { sink, render } = setUp({ transport });
    sink.write(Int16Array.of(0, 16_384, 0));
    sink.end();
    render(REPORT_QUANTA);
    expect(sink.status().peak).toBe(0.5);
    render(8);
    expect(sink.status().peak).toBe(0);
  });

  it('counts events that it could not keep', () => {
    const { sink, render } = setUp({ transport });
    for (let turn = 0; turn < LOG_ENTRIES; turn += 1) {
      sink.write(Int16Array.of(1));
      sink.end();
      render(REPORT_QUANTA);
    }
    const { events, eventsLost } = sink.status();
    expect([events.length, eventsLost]).toEqual([LOG_ENTRIES, LOG_ENTRIES]);
    expect(events.at(-1)).toMatchObject({ kind: 'ended', position: LOG_ENTRIES });
  });
});

it('a message sink posts each target in whole samples, and an unchanged one once', () => {
  const [worklet, worker] = portPair();
  const posted: number[][] = [];
  worklet.onmessage = ({ data }: MessageEvent<TrackMessage>) => {
    if (data.type === 'slots') posted.push([data.slots[TARGET] ?? -1, data.slots[MAX_WAIT] ?? -1]);
  };
  const sink = openSink(worker, { transport: 'message', capacity: 16 });
  const targets = [
    [10.2, 19.5],
    [10.4, 20],
    [11, 21],
    [12, 21],
    [30, 21],
    [40, 21],
  ] as const;
  for (const [samples, maxWait] of targets) sink.setTarget(samples, maxWait);
  expect(posted).toEqual([
    [11, 20],
    [11, 21],
    [12, 21],
    [16, 21],
  ]);
});

describe('over a real MessageChannel', () => {
  /** The two classes are one at run time; the types of Node and the browser differ in their event. */
  const asTrackPort = (port: unknown) => port as TrackPort;

  it.each<Transport>(['shared', 'message'])(
    '%s samples arrive whole through a ring smaller than they are',
    async (transport) => {
      const { port1, port2 } = new MessageChannel();
      const { sink, render } = setUp({ transport, capacity: 256 }, [asTrackPort(port1), asTrackPort(port2)]);
      const samples = marked(5000, 9);
      samples[0] = 0;
      const heard: number[] = [];
      let next = 0;
      // Renders when the channel has had its turn, as the audio thread does between two quanta.
      await vi.waitUntil(
        () => {
          next += sink.write(samples.subarray(next));
          if (next === samples.length) sink.end();
          for (const value of render(REPORT_QUANTA)) if (value === samples[heard.length]) heard.push(value);
          return sink.status().position === samples.length;
        },
        { interval: 0, timeout: 10_000 },
      );
      sink.close();
      expect(heard).toEqual([...samples]);
    },
  );
});
