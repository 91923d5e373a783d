import { ENDPOINTS, vendorOf } from './registry.ts';

/** The topic of the statements about every wire, which are on the first page. */
const COMMON_TOPIC = 'wire';

/**
 * Returns the name of the page of `docs/protocols/` that has a statement, without its ending. The page of a vendor has the
 * vendor's name, and its statements begin with the name of the vendor's folder.
 * @param anchor such as `wire-turn-1`
 */
export function bookPageOf(anchor: string): string {
  const [topic = ''] = anchor.split('-');
  if (topic === COMMON_TOPIC) return 'README';
  const endpoint = ENDPOINTS.find((each) => vendorOf(each) === topic);
  return endpoint?.vendor.toLowerCase() ?? topic;
}
