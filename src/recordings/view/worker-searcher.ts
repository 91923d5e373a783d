import {
  hitsIn,
  matcherOf,
  type Searcher,
  type SearcherMessage,
  type SearchQuery,
  type SearchTask,
} from './search.ts';

/**
 * A searcher in a worker that lives as long as the search. A regular expression cannot be interrupted, but its worker
 * can be ended, and meanwhile frames are recorded and shown all the same.
 */
export function openWorkerSearcher(query: SearchQuery): Searcher {
  // A browser without workers inside of workers searches here.
  if (typeof Worker === 'undefined') return searcherHere(query);
  const worker = new Worker(new URL('./search.worker.ts', import.meta.url), { type: 'module' });
  const post = (message: SearcherMessage): void => worker.postMessage(message);
  // It may stop before it is asked anything, where its code cannot be fetched.
  const stopped = new Promise<never>((_, reject) => {
    worker.onerror = () => reject(new Error('The worker that searches has stopped.'));
  });
  stopped.catch(() => {});
  post({ type: 'query', query });
  return {
    search: (task) => {
      const answer = new Promise<readonly number[]>((resolve) => {
        worker.onmessage = ({ data }: MessageEvent<readonly number[]>) => resolve(data);
      });
      post({ type: 'task', task });
      return Promise.race([answer, stopped]);
    },
    end: () => worker.terminate(),
  };
}

/** A searcher in the thread of whoever asks. */
export function searcherHere(query: SearchQuery): Searcher {
  const matcher = matcherOf(query);
  return {
    search: async (task: SearchTask) => (typeof matcher === 'function' ? hitsIn(task, matcher) : []),
    end() {},
  };
}
