import { hitsIn, type Matcher, matcherOf, type SearcherMessage } from './search.ts';

/** Looks through one block after the other for the query that it was told first; see `worker-searcher.ts`. */
interface WorkerScope {
  postMessage(hits: readonly number[]): void;
  onmessage: ((event: MessageEvent<SearcherMessage>) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;

let matcher: Matcher = () => false;

scope.onmessage = ({ data }) => {
  if (data.type === 'task') {
    scope.postMessage(hitsIn(data.task, matcher));
    return;
  }
  // Whoever asks has seen before that the query is one.
  const wanted = matcherOf(data.query);
  if (typeof wanted === 'function') matcher = wanted;
};
