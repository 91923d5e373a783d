import { expect, it } from 'vitest';
import { createFakeClock, settle } from '../fake-clock.test-helper.ts';
import { testConnection } from '../test-connection.test-helper.ts';
import { GenerationQueue, WaitingText } from './generation-queue.ts';

function createQueue() {
  const pauses: string[] = [];
  const spoken: string[] = [];
  const connection = testConnection(createFakeClock(), {
    pause: () => pauses.push('pause'),
    resume: () => pauses.push('resume'),
  });
  let made = 0;
  let emptied = 0;
  let speakOn = () => {};
  let isHeld = true;
  const queue: GenerationQueue<{ text: string }> = new GenerationQueue({
    connection,
    waiting: new WaitingText(connection),
    async speak({ text }) {
      spoken.push(text);
      if (isHeld) await new Promise<void>((resolve) => (speakOn = resolve));
    },
    emptied: () => {
      emptied += 1;
    },
    failed: () => {},
  });
  queue.open();
  /** The steps of a message of so many generations. */
  function* message(name: string, count: number): Generator<void> {
    for (let at = 0; at < count; at += 1) {
      made += 1;
      yield queue.add({ text: `${name}${at}` });
    }
  }
  return {
    queue,
    pauses,
    spoken,
    message,
    made: () => made,
    emptied: () => emptied,
    /** Speaks the generation that is held, and the next one. */
    async next() {
      speakOn();
      await settle();
    },
    async release() {
      isHeld = false;
      speakOn();
      for (let round = 0; round < 200 && queue.length > 0; round += 1) await settle();
    },
  };
}

const named = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`);

it('makes the generations of a message as they are spoken, a few ahead', async () => {
  const { queue, message, made, next } = createQueue();
  queue.feed(message('a', 1000));
  const ahead = made();
  expect(ahead).toBeLessThan(20);
  await next();
  await next();
  expect(made()).toBe(ahead + 2);
});

it('keeps the order of messages, whatever waits, and is empty once', async () => {
  const { queue, message, spoken, release, emptied } = createQueue();
  queue.feed(message('a', 100));
  queue.feed(message('b', 1));
  queue.feed(message('c', 40));
  expect(queue.length).toBeGreaterThan(0);
  await release();
  expect(spoken).toEqual([...named('a', 100), 'b0', ...named('c', 40)]);
  expect([queue.length, emptied()]).toEqual([0, 1]);
});

it('pauses the connection while text waits as text, also that of one message', async () => {
  const { queue, message, pauses, made, release } = createQueue();
  queue.feed(message('a', 50), 'x'.repeat(120_000));
  expect(pauses).toEqual(['pause']);
  expect(made()).toBeLessThan(20);
  await release();
  expect(pauses).toEqual(['pause', 'resume']);
});

it('reads on for a message that was cut at once', () => {
  const { queue, message, pauses } = createQueue();
  queue.feed(message('a', 2), 'x'.repeat(120_000));
  expect(pauses).toEqual([]);
});

it('drops what waits when it stops, and reads on', async () => {
  const { queue, message, pauses, spoken, made, release } = createQueue();
  queue.feed(message('a', 50), 'x'.repeat(120_000));
  const before = made();
  queue.stop();
  await release();
  expect([spoken, made(), queue.length]).toEqual([['a0'], before, 0]);
  expect(pauses).toEqual(['pause', 'resume']);
});
