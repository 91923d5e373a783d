// Node 20 cannot load TypeScript in a worker thread by itself, and flags like `--import tsx` do not reach it.
import { register } from 'tsx/esm/api';

register();
await import('./mp3.worker.ts');
