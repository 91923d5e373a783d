import { describe, expect, it } from 'vitest';
import { Feeder } from './feeder.ts';
import { PcmStore } from './pcm-store.ts';
import type { RingSink } from './sink.ts';
import type { PlayerStatus, RingEvent } from './status.ts';
import { appendSamples } from './testing/append-samples.ts';
import { marked } from './testing/traces.ts';

/** A sink with a reader that the test moves. */
function manualSink(capacity: number, start: number) {
  const log: string[] = [];
  const taken: number[] = [];
  let status: PlayerStatus = {
    epoch: 0,
    position: start,
    frame: 0,
    state: 'idle',
    peak: 0,
    underruns: 0,
    events: [],
    eventsLost: 0,
  };
  let writePosition = start;
  let epoch = 0;
  const room = () => capacity - ((writePosition - status.position) | 0);
  const sink: RingSink = {
    transport: 'shared',
    capacity,
    get writePosition() {
      return writePosition;
    },
    get epoch() {
      return epoch;
    },
    room,
    write(samples) {
      const count = Math.min(samples.length, room());
      taken.push(...samples.subarray(0, count));
      writePosition = (writePosition + count) | 0;
      return count;
    },
    setPaused() {},
    clear() {
      epoch += 1;
      return epoch;
    },
    end: () => void log.push(`end at ${taken.length}`),
    setFloor: (floor, wait) => void log.push(`floor ${floor}, ${wait}`),
    status: () => status,
    close: () => {},
  };
  return {
    sink,
    log,
    taken,
    read(samples: number, events: RingEvent[] = []) {
      status = { ...status, position: (start + samples) | 0, epoch, events, frame: samples };
    },
  };
}

function stored(samples: Int16Array): PcmStore {
  const store = new PcmStore(24_000);
  appendSamples(store, samples);
  return store;
}

describe.each([0, 2 ** 31 - 150])('a feeder whose stream counts from %i', (start) => {
  it('keeps samples that do not fit, and ends a turn only behind its last sample', () => {
    const { sink, log, taken, read } = manualSink(100, start);
    const feeder = new Feeder(sink);
    const [first, second] = [marked(250, 1), marked(30, 2)];
    feeder.enqueue(1, stored(first));
    feeder.complete(1);
    feeder.enqueue(2, stored(second));
    feeder.complete(2);
    expect([taken.length, log]).toEqual([100, []]);
    for (const heard of [100, 200, 280]) {
      read(heard);
      feeder.pump();
    }
    expect(taken).toEqual([...first, ...second]);
    expect(log).toEqual(['end at 250', 'end at 280']);
  });

  it('maps positions to samples of turns', () => {
    const { sink, read } = manualSink(1000, start);
    const feeder = new Feeder(sink);
    feeder.enqueue(1, stored(marked(100, 1)), 40);
    feeder.complete(1);
    feeder.enqueue(2, stored(marked(200, 2)));
    const at = (samples: number) => {
      read(samples);
      return feeder.poll().head;
    };
    expect(at(0)).toEqual({ turn: 1, sample: 40 });
    expect(at(59)).toEqual({ turn: 1, sample: 99 });
    expect(at(60)).toEqual({ turn: 2, sample: 0 });
    expect(at(260)).toEqual({ turn: 2, sample: 200 });
    feeder.clear();
    feeder.enqueue(3, stored(marked(10, 3)));
    expect(at(260)).toEqual({ turn: 3, sample: 0 });
  });

  it('reports an end at its own turn, also when the next turn follows', () => {
    const { sink, read } = manualSink(1000, start);
    const feeder = new Feeder(sink);
    feeder.enqueue(1, stored(marked(100, 1)));
    feeder.complete(1);
    feeder.enqueue(2, stored(marked(100, 2)));
    const event = (kind: RingEvent['kind'], samples: number): RingEvent => ({
      kind,
      frame: samples,
      position: (start + samples) | 0,
      epoch: 0,
    });
    read(150, [event('started', 0), event('ended', 100), event('started', 100)]);
    expect(feeder.poll().events.map(({ kind, at }) => [kind, at])).toEqual([
      ['started', { turn: 1, sample: 0 }],
      ['ended', { turn: 1, sample: 100 }],
      ['started', { turn: 2, sample: 0 }],
    ]);
  });

  it('sets an unchanged floor once', () => {
    const { sink, log } = manualSink(1000, start);
    const feeder = new Feeder(sink);
    feeder.setFloor(10.2, 20);
    feeder.setFloor(10.4, 20);
    feeder.setFloor(11, 21);
    expect(log).toEqual(['floor 11, 20', 'floor 11, 21']);
  });
});
