/** Strings that come again and again, each kept once and known by a small number. */
export class Names {
  readonly #list: string[];
  readonly #numbers = new Map<string, number>();

  constructor(list: readonly string[] = []) {
    this.#list = [];
    for (const name of list) this.numberOf(name);
  }

  get size(): number {
    return this.#list.length;
  }

  /** The number of the name, which is given one where it has none. */
  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#list.length;
    this.#list.push(name);
    this.#numbers.set(name, number);
    return number;
  }

  find(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  nameOf(number: number): string {
    const name = this.#list[number];
    if (name === undefined) throw new RangeError(`There is no name ${number} of ${this.#list.length}.`);
    return name;
  }

  /** Those that were added when there were `from` of them. */
  since(from: number): string[] {
    return this.#list.slice(from);
  }
}
