import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRingMemory } from './layout.ts';
import { RingWriter } from './ring.ts';
import { StatusReader } from './status.ts';
import { marked } from './testing/traces.ts';
import { Track } from './track.ts';

const QUANTUM = 128;
const GLIDE_SAMPLES = 64;

/** Quiet enough at both ends that nothing is put before or behind it. */
function quietEnded(count: number, seed = 1): Int16Array {
  const samples = marked(count, seed);
  samples[0] = 1;
  samples[count - 1] = -1;
  return samples;
}

function setUp({ capacity = 4096, startPosition = 0 } = {}) {
  const memory = createRingMemory(capacity, false, startPosition);
  const track = new Track(memory);
  const status = new StatusReader(memory.control);
  let frame = 0;
  return {
    writer: new RingWriter(memory),
    track,
    status,
    skipFrames(count: number) {
      frame += count;
    },
    /** The next quanta, in units of samples. */
    render(quanta = 1): number[] {
      const heard: number[] = [];
      for (let i = 0; i < quanta; i += 1) {
        const output = new Float32Array(QUANTUM);
        track.render(output, new Float32Array(QUANTUM), frame);
        frame += QUANTUM;
        for (const value of output) heard.push(value * 32_768);
      }
      return heard;
    },
  };
}

const zeros = (count: number) => Array.from({ length: count }, () => 0);
const kinds = (status: StatusReader) => status.read().events.map(({ kind }) => kind);

/** A straight way between two values in whole samples, both left out. */
const glide = (from: number, to: number) =>
  Array.from({ length: GLIDE_SAMPLES }, (_, i) =>
    Math.round(from + ((to - from) * (i + 1)) / (GLIDE_SAMPLES + 1)),
  );

describe('samples', () => {
  it.each([1, 63, 127, 128, 129, 1000, 4096])('%i of them are played to the last one, unchanged', (count) => {
    const { writer, render, status } = setUp();
    const samples = quietEnded(count);
    writer.write(samples);
    writer.end();
    expect(render(34)).toEqual([...samples, ...zeros(34 * QUANTUM - count)]);
    expect(status.read().events).toMatchObject([
      { kind: 'started', frame: 0, position: 0 },
      { kind: 'ended', frame: count, position: count },
    ]);
    expect(status.read()).toMatchObject({ state: 'idle', underruns: 0 });
  });

  it('may be any of the 65536 there are', () => {
    const all = Int16Array.from({ length: 65_536 }, (_, i) => i - 32_768);
    const { writer, render } = setUp({ capacity: 65_536 });
    writer.write(all);
    writer.end();
    expect(render(515).slice(GLIDE_SAMPLES, GLIDE_SAMPLES + 65_536)).toEqual([...all]);
  });

  it('of two turns follow one another without a break when they are there in time', () => {
    const { writer, render, status } = setUp();
    const [first, second] = [marked(200, 1), marked(200, 2)];
    writer.write(first);
    writer.end();
    const heard = render();
    writer.write(second);
    writer.end();
    heard.push(...render(3));
    expect(heard.slice(GLIDE_SAMPLES, GLIDE_SAMPLES + 400)).toEqual([...first, ...second]);
    expect(kinds(status)).toEqual(['started', 'ended']);
  });
});

describe('a start', () => {
  it('waits for the target', () => {
    const { writer, render, status } = setUp();
    writer.setTarget(300, 10_000);
    writer.write(quietEnded(299));
    expect(render(3)).toEqual(zeros(384));
    expect(status.read().state).toBe('buffering');
    writer.write(Int16Array.of(5));
    expect(render()[0]).toBe(1);
    expect(status.read()).toMatchObject({ state: 'playing', events: [{ kind: 'started', frame: 384 }] });
  });

  it('does not wait for a target that will never be reached', () => {
    const { writer, render } = setUp();
    writer.setTarget(300, 10_000);
    writer.write(quietEnded(10));
    writer.end();
    expect(render()[0]).toBe(1);
  });

  it('waits no longer than the longest wait, counted from the first sample', () => {
    const { writer, render } = setUp();
    writer.setTarget(4000, 256);
    render(10);
    writer.write(quietEnded(2000));
    expect(render(2)).toEqual(zeros(256));
    expect(render()[0]).toBe(1);
  });

  it('at a loud value comes after a glide from silence, so that no sample is altered', () => {
    const { writer, render, status } = setUp();
    writer.write(Int16Array.of(20_000, -20_000, 1));
    writer.end();
    expect(render()).toEqual([...glide(0, 20_000), 20_000, -20_000, 1, ...zeros(61)]);
    expect(status.read().events[0]).toMatchObject({ kind: 'started', frame: GLIDE_SAMPLES, position: 0 });
  });
});

describe('an underrun', () => {
  it('glides to silence behind the last sample and from silence before the next, and is counted once', () => {
    const { writer, render, status } = setUp();
    const [first, second] = [marked(200, 1), marked(200, 2)];
    first[0] = 0;
    writer.write(first);
    expect(render(3)).toEqual([...first, ...glide(first[199] ?? 0, 0), ...zeros(120)]);
    expect(status.read()).toMatchObject({
      state: 'buffering',
      underruns: 1,
      events: [{ kind: 'started' }, { kind: 'underrun', frame: 200, position: 200 }],
    });
    writer.write(second);
    writer.end();
    expect(render(3)).toEqual([
      ...glide(0, second[0] ?? 0),
      ...second,
      ...glide(second[199] ?? 0, 0),
      ...zeros(56),
    ]);
    expect(status.read()).toMatchObject({
      underruns: 1,
      events: [{ kind: 'resumed', frame: 384 + GLIDE_SAMPLES, position: 200 }, { kind: 'ended' }],
    });
  });

  it('waits for the target again', () => {
    const { writer, render } = setUp();
    writer.write(quietEnded(100));
    render(2);
    writer.setTarget(200, 10_000);
    writer.write(quietEnded(100));
    expect(render(2)).toEqual(zeros(256));
    writer.write(quietEnded(100));
    expect(render()[0]).toBe(1);
  });

  it('is taken back when the end of the turn is announced late', () => {
    const { writer, render, status } = setUp();
    writer.write(quietEnded(100));
    render(2);
    expect(status.read()).toMatchObject({ underruns: 1, state: 'buffering' });
    writer.end();
    render();
    expect(status.read()).toMatchObject({
      underruns: 0,
      state: 'idle',
      events: [{ kind: 'ended', frame: 256, position: 100 }],
    });
  });
});

describe('a clear', () => {
  it('and new audio in the same tick play nothing stale and all of the new, right behind the glide', () => {
    const { writer, render, status } = setUp();
    const [old, fresh] = [quietEnded(1000, 1), quietEnded(500, 2)];
    writer.write(old);
    const heard = render(2);
    writer.clear();
    writer.write(fresh);
    writer.end();
    heard.push(...render(5));
    expect(heard).toEqual([
      ...old.subarray(0, 256),
      ...glide(old[255] ?? 0, 0),
      ...fresh,
      ...zeros(5 * QUANTUM - GLIDE_SAMPLES - 500),
    ]);
    expect(status.read().events).toMatchObject([
      { kind: 'started', epoch: 0 },
      { kind: 'cleared', epoch: 0, frame: 256, position: 256 },
      { kind: 'started', epoch: 1, frame: 256 + GLIDE_SAMPLES, position: 1000 },
      { kind: 'ended', epoch: 1, position: 1500 },
    ]);
  });

  it('during a glide lets it come to its end', () => {
    const { writer, render } = setUp();
    const fresh = quietEnded(50, 2);
    const old = marked(100, 1);
    old[0] = 0;
    writer.write(old);
    const heard = render();
    writer.clear();
    writer.write(fresh);
    writer.end();
    heard.push(...render());
    expect(heard).toEqual([...old, ...glide(old[99] ?? 0, 0), ...fresh, ...zeros(42)]);
  });

  it('before anything is heard is silent', () => {
    const { writer, render, status } = setUp();
    writer.setTarget(1000, 1000);
    writer.write(marked(500, 1));
    render();
    writer.clear();
    expect(render(2)).toEqual(zeros(256));
    expect(status.read()).toMatchObject({ epoch: 1, state: 'idle', events: [] });
  });
});

describe('a pause', () => {
  it('is silent behind a glide from the next quantum on, and goes on with the next sample', () => {
    const { writer, render, status } = setUp();
    const samples = marked(1000, 1);
    samples[0] = 0;
    samples[999] = 0;
    writer.write(samples);
    writer.end();
    const heard = render(2);
    writer.setPaused(true);
    heard.push(...render(3));
    expect(status.read()).toMatchObject({
      state: 'buffering',
      position: 256,
      underruns: 0,
      events: [
        { kind: 'started', frame: 0, position: 0 },
        { kind: 'paused', frame: 256, position: 256 },
      ],
    });
    writer.setPaused(false);
    heard.push(...render(7));
    expect(heard).toEqual([
      ...samples.subarray(0, 256),
      ...glide(samples[255] ?? 0, 0),
      ...zeros(3 * QUANTUM - GLIDE_SAMPLES),
      ...glide(0, samples[256] ?? 0),
      ...samples.subarray(256),
      ...zeros(7 * QUANTUM - GLIDE_SAMPLES - 744),
    ]);
    expect(status.read()).toMatchObject({
      underruns: 0,
      state: 'idle',
      events: [
        { kind: 'continued', frame: 5 * QUANTUM + GLIDE_SAMPLES, position: 256 },
        { kind: 'ended', position: 1000 },
      ],
    });
  });

  it('needs no prebuffer target afterwards', () => {
    const { writer, render } = setUp();
    const samples = quietEnded(200);
    samples[128] = 0;
    writer.write(samples);
    render();
    writer.setTarget(4000, 100_000);
    writer.setPaused(true);
    render(2);
    writer.setPaused(false);
    expect(render().slice(0, 72)).toEqual([...samples.subarray(128)]);
  });

  it('before the first sample keeps it from starting, and the wait for the target begins behind it', () => {
    const { writer, render, status } = setUp();
    writer.setTarget(4000, 256);
    writer.write(quietEnded(500));
    render();
    writer.setPaused(true);
    expect(render(10)).toEqual(zeros(1280));
    writer.setPaused(false);
    expect(render(2)).toEqual(zeros(256));
    expect(render()[0]).toBe(1);
    expect(kinds(status)).toEqual(['started']);
  });

  it('ends an underrun, and is none itself where nothing has come by its end', () => {
    const { writer, render, status } = setUp();
    writer.write(quietEnded(128));
    render(2);
    writer.setPaused(true);
    render(4);
    const during = status.read();
    expect(during).toMatchObject({ underruns: 1, state: 'buffering' });
    expect(during.events.map(({ kind }) => kind)).toEqual(['started', 'underrun', 'paused']);
    writer.setPaused(false);
    render(2);
    // The turn is not over, and nothing is there to go on with: that is another underrun.
    expect(status.read()).toMatchObject({ underruns: 2, events: [{ kind: 'underrun', position: 128 }] });
    const rest = quietEnded(128, 2);
    writer.write(rest);
    writer.end();
    expect(render()).toEqual([...rest]);
    expect(kinds(status)).toEqual(['resumed']);
  });

  it('behind the last sample of a turn ends the turn without an underrun', () => {
    const { writer, render, status } = setUp();
    writer.write(quietEnded(128));
    render();
    writer.setPaused(true);
    render();
    writer.end();
    writer.setPaused(false);
    render(2);
    expect(status.read()).toMatchObject({ underruns: 0, state: 'idle' });
  });

  it('and a clear during it play nothing of the old epoch', () => {
    const { writer, render, status } = setUp();
    writer.write(quietEnded(1000));
    render();
    writer.setPaused(true);
    render();
    writer.clear();
    expect(render(2)).toEqual(zeros(256));
    const fresh = quietEnded(128, 2);
    writer.write(fresh);
    writer.end();
    writer.setPaused(false);
    expect(render()).toEqual([...fresh]);
    expect(kinds(status)).toEqual(['started', 'paused', 'started']);
  });
});

describe('a halt', () => {
  it('silences its epoch at the next quantum, before the feeder has cleared', () => {
    const { writer, track, render, status } = setUp();
    const old = quietEnded(1000);
    writer.write(old);
    render();
    track.halt(0);
    expect(render(2)).toEqual([...glide(old[127] ?? 0, 0), ...zeros(192)]);
    expect(status.read()).toMatchObject({ state: 'idle', events: [{}, { kind: 'cleared', frame: 128 }] });
    writer.write(old.subarray(0, 500));
    expect(render(4)).toEqual(zeros(512));
    writer.clear();
    const fresh = quietEnded(100, 2);
    writer.write(fresh);
    writer.end();
    expect(render()).toEqual([...fresh, ...zeros(28)]);
    expect(kinds(status)).toEqual(['started', 'ended']);
  });

  it('that comes late does not touch the epoch after', () => {
    const { writer, track, render } = setUp();
    writer.write(quietEnded(1000));
    writer.clear();
    const fresh = quietEnded(128, 2);
    writer.write(fresh);
    track.halt(0);
    expect(render()).toEqual([...fresh]);
  });

  it('that comes before the clear it knows of silences that epoch from its first sample on', () => {
    const { writer, track, render } = setUp();
    track.halt(1);
    writer.write(quietEnded(100));
    writer.clear();
    writer.write(quietEnded(100));
    expect(render(2)).toEqual(zeros(256));
    writer.clear();
    const fresh = quietEnded(128, 2);
    writer.write(fresh);
    expect(render()).toEqual([...fresh]);
  });
});

describe('a track that is retired', () => {
  it('glides to silence and leaves the mix', () => {
    const { writer, track, render } = setUp();
    const samples = quietEnded(1000);
    writer.write(samples);
    render();
    expect(track.gone).toBe(false);
    track.retire();
    expect(render(2)).toEqual([...glide(samples[127] ?? 0, 0), ...zeros(192)]);
    expect(track.gone).toBe(true);
  });
});

describe('the audio clock', () => {
  it('may jump without a lost sample, and the new place is logged', () => {
    const { writer, render, status, skipFrames } = setUp();
    const samples = quietEnded(500);
    writer.write(samples);
    writer.end();
    const heard = render();
    skipFrames(1024);
    heard.push(...render(4));
    expect(heard.slice(0, 500)).toEqual([...samples]);
    expect(status.read().events).toMatchObject([
      { kind: 'started', frame: 0, position: 0 },
      { kind: 'realigned', frame: 1152, position: 128 },
      { kind: 'ended', frame: 1152 + 372, position: 500 },
    ]);
  });

  it('passes the end of 32 bits like any other frame', () => {
    const { writer, render, status, skipFrames } = setUp();
    skipFrames(2 ** 32 - 128);
    writer.write(quietEnded(300));
    writer.end();
    render(4);
    expect(status.read().events).toMatchObject([
      { kind: 'started', frame: -128 },
      { kind: 'ended', frame: 172 },
    ]);
  });
});

describe('any course of events', () => {
  it('each epoch is heard as a beginning of what was written in it, unchanged and in order', () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), count: fc.nat(400) }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('render' as const), count: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), count: fc.constant(0) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), count: fc.constant(0) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('target' as const), count: fc.nat(600) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('pause' as const), count: fc.nat(1) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const { writer, render, status } = setUp({ capacity: 1024, startPosition: 2 ** 31 - 700 });
        const source = marked(30_000, 5);
        const epochs: { from: number; to: number; heard: number[] }[] = [{ from: 0, to: 0, heard: [] }];
        let epoch = 0;
        let next = 0;
        const listen = (quanta: number) => {
          const output = render(quanta);
          // Glides have fractions; a sample of the source has none, and none of them is near zero.
          for (const value of output) {
            const current = epochs[epoch];
            if (current && Number.isInteger(value) && value === source[current.from + current.heard.length]) {
              current.heard.push(value);
            }
          }
        };
        for (const { kind, count } of steps) {
          const current = epochs[epoch];
          if (!current) continue;
          if (kind === 'write') {
            next += writer.write(source.subarray(next, next + count));
            current.to = next;
          } else if (kind === 'render') listen(count);
          else if (kind === 'end') writer.end();
          else if (kind === 'target') writer.setTarget(count, count);
          else if (kind === 'pause') writer.setPaused(count === 1);
          else {
            writer.clear();
            epochs.push({ from: next, to: next, heard: [] });
            epoch += 1;
          }
        }
        writer.end();
        writer.setPaused(false);
        listen(30);
        const last = epochs[epoch];
        expect(last?.heard).toEqual([...source.subarray(last?.from, last?.to)]);
        const { position, state } = status.read();
        expect([position, state]).toEqual([(2 ** 31 - 700 + next) | 0, 'idle']);
      }),
      { numRuns: 60 },
    );
  });
});
