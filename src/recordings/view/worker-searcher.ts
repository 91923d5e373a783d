import { connectCalls } from '#lib/worker-calls.ts';
import { hitsIn, matcherOf, type Searcher, type SearchQuery, type SearchTask } from './search.ts';

/** Methods of the worker that searches: the query first, then one block at a time. */
export class SearchThread {
  #matcher: ReturnType<typeof matcherOf> = () => false;

  begin(query: SearchQuery): void {
    this.#matcher = matcherOf(query);
  }

  /** Entries of the block whose payload matches; none where the query is not valid. */
  search(task: SearchTask): readonly number[] {
    return typeof this.#matcher === 'function' ? hitsIn(task, this.#matcher) : [];
  }
}

/** A searcher in its own worker, because a regular expression can only be stopped by terminating the worker. */
export function openWorkerSearcher(query: SearchQuery): Searcher {
  // Some browsers have no workers inside of workers.
  if (typeof Worker === 'undefined') return searcherHere(query);
  const worker = new Worker(new URL('./search.worker.ts', import.meta.url), { type: 'module' });
  const { calls, end } = connectCalls<SearchThread>(worker);
  // The worker stops before the first call where its code cannot be fetched; later calls reject then.
  worker.onerror = () => end('The worker that searches has stopped.');
  calls.begin(query).catch(() => {});
  return {
    search: (task) => calls.search(task),
    end: () => worker.terminate(),
  };
}

function searcherHere(query: SearchQuery): Searcher {
  const thread = new SearchThread();
  thread.begin(query);
  return { search: async (task) => thread.search(task), end() {} };
}
