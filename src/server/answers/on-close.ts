import type { ServerResponse } from 'node:http';
import { madeOnce } from '#lib/collections/maps.ts';

const tasksOf = new WeakMap<ServerResponse, Set<() => void>>();

/**
 * Runs a task when an answer is sent or its client has left; at once where that has happened. Each layer of the server has
 * such a task, and a listener for each would exceed what Node takes for a leak.
 */
export function onClose(response: ServerResponse, task: () => void): void {
  if (response.closed) {
    task();
    return;
  }
  const tasks = madeOnce(tasksOf, response, () => {
    const made = new Set<() => void>();
    response.once('close', () => {
      for (const each of made) each();
    });
    return made;
  });
  tasks.add(task);
}
