/** Numbers repeated strings, so that each is stored once. */
export class Names {
  readonly #list: string[] = [];
  readonly #numbers = new Map<string, number>();

  get size(): number {
    return this.#list.length;
  }

  /** Returns the number of a name, also of a new one. */
  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#list.length;
    this.#list.push(name);
    this.#numbers.set(name, number);
    return number;
  }

  nameOf(number: number): string {
    const name = this.#list[number];
    if (name === undefined) throw new RangeError(`There is no name ${number} of ${this.#list.length}.`);
    return name;
  }

  /** Returns the names from that number on. */
  since(from: number): string[] {
    return this.#list.slice(from);
  }
}
