import { fetchReference } from '#trace/words/text-search.ts';
import { type FoundWords, type SoundMessage, WordSearches } from './word-search.ts';

/** The used part of a dedicated worker's scope, because the types of pages and workers exclude one another. */
interface WorkerScope {
  postMessage(found: FoundWords): void;
  onmessage: ((event: MessageEvent<SoundMessage>) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;
const searches = new WordSearches(fetchReference, (found) => scope.postMessage(found));
scope.onmessage = ({ data }) => searches.take(data);
