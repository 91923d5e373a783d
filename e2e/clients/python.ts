import { spawnSync } from 'node:child_process';

/** A Python that has these modules. Where none has, it says so and returns null. Debian's are those of its own Python. */
export function pythonWith(...modules: string[]): string | null {
  const path = ['python3', '/usr/bin/python3'].find(
    (each) => spawnSync(each, ['-c', `import ${modules.join(', ')}`]).status === 0,
  );
  if (path === undefined)
    process.stdout.write(`Tests of Python programs are skipped: no python3 has ${modules.join(' and ')}.\n`);
  return path ?? null;
}
