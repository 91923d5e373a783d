import type { Endpoint, EndpointId, VendorName } from './core/endpoint.ts';
import { vendorOf } from './registry.ts';

/**
 * A part of each endpoint that is loaded by the name of its vendor's folder, because few threads need all vendors, and no
 * table of them is needed. It is read without a wait once it has loaded.
 */
export class LateParts<Part> {
  readonly #what: string;
  readonly #import: (vendor: VendorName) => Promise<Readonly<Record<string, Part>>>;
  readonly #parts = new Map<string, Part>();

  /** @param what names the part in the error of `of` */
  constructor(what: string, importOf: (vendor: VendorName) => Promise<Readonly<Record<string, Part>>>) {
    this.#what = what;
    this.#import = importOf;
  }

  /** Returns null where all of them have loaded, so that nothing needs to wait. A failed load may be tried again. */
  load(endpoints: readonly Endpoint[]): Promise<unknown> | null {
    const missing = endpoints.filter(({ id }) => !this.#parts.has(id));
    if (missing.length === 0) return null;
    const vendors = new Set(missing.map(vendorOf));
    return Promise.all([...vendors].map((vendor) => this.#loadVendor(vendor)));
  }

  /** @throws Error where it has not loaded */
  of(id: EndpointId): Part {
    const part = this.#parts.get(id);
    if (part === undefined) throw new Error(`The ${this.#what} of ${id} must be loaded before their use.`);
    return part;
  }

  async #loadVendor(vendor: VendorName): Promise<void> {
    for (const [id, part] of Object.entries(await this.#import(vendor))) this.#parts.set(id, part);
  }
}
