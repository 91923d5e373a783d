import { spawnSync } from 'node:child_process';

/** A Python that has these modules; null where none has. Debian's packages belong to its own Python. */
export const pythonWith = (...modules: string[]): string | null =>
  ['python3', '/usr/bin/python3'].find(
    (path) => spawnSync(path, ['-c', `import ${modules.join(', ')}`]).status === 0,
  ) ?? null;
