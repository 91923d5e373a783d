/** Pages whose statements begin with another word than their own name. */
const PAGES: Readonly<Record<string, string>> = { kugel: 'kugelaudio', wire: 'README' };

/** The page of `docs/protocols/` with a statement, without its ending. @param anchor such as `kugel-turn-8` */
export function bookPageOf(anchor: string): string {
  const [topic = ''] = anchor.split('-');
  return PAGES[topic] ?? topic;
}
