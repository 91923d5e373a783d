/** Tags within texts (`facts-cartesia` G24). */
const TAG = /^<\/?(?:spell|emotion|break|volume|speed)\b[^<>]*>/;
/** A tag that is not complete at the end of a text. */
const OPEN_TAG = /<[^<>]*$/;
const SPELL = /<(\/?)spell>/g;
/** No tag is as long. */
const MAX_TAG_CHARS = 64;

/** Finds tags that one message opens and a later one closes. */
export class TagJoints {
  #tail = '';
  #isSpelling = false;

  /** Returns the fault of this text; null without one. */
  text(text: string): string | null {
    const [tag] = this.#tail === '' ? [] : (TAG.exec(this.#tail + text) ?? []);
    const [tail = ''] = OPEN_TAG.exec(tag === undefined ? this.#tail + text : text) ?? [];
    this.#tail = tail.length < MAX_TAG_CHARS ? tail : '';
    const spells = [...text.matchAll(SPELL)].map(([, slash]) => slash === '');
    const isClosed = this.#isSpelling && spells[0] === false;
    this.#isSpelling = spells.at(-1) ?? this.#isSpelling;
    if (tag !== undefined) return 'expected a whole tag, got its end';
    return isClosed ? 'expected <spell> in the message of its end, got it in an earlier one' : null;
  }
}
