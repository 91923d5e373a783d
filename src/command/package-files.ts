import { fileURLToPath } from 'node:url';

/** Returns the path of a file of this package. The bundle lies as deep as this file, see `vite.command.config.ts`. */
export const fileOfPackage = (path: string): string =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url));
