import { hitsIn, matcherOf, type SearchQuery, type SearchTask } from './search.ts';

/** Looks through one block after the other for the query that its name says; see `worker-searcher.ts`. */
interface WorkerScope {
  name: string;
  postMessage(hits: readonly number[]): void;
  onmessage: ((event: MessageEvent<SearchTask>) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;

const matcher = matcherOf(JSON.parse(scope.name) as SearchQuery);

scope.onmessage = ({ data }) => scope.postMessage(typeof matcher === 'function' ? hitsIn(data, matcher) : []);
