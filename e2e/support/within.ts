/**
 * Settles as the task does, or rejects after a time. The task goes on then, and its later failure is ignored.
 * @param expected what the task waits for, as the error names it
 */
export function within<T>(ms: number, task: Promise<T>, expected: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`expected ${expected} within ${ms / 1000} s, got nothing`)),
      ms,
    );
    task.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
