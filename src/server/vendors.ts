import type { VendorName } from '#protocol/core/endpoint.ts';
import { VENDORS } from '#protocol/registry.ts';
import type { VendorServer } from './vendor-server.ts';

/** The local servers of vendors, by the names of their folders. */
export type VendorServers = ReadonlyMap<VendorName, VendorServer>;

/** Loads the local server of each vendor by the name of its folder, so that no table of them is needed. */
export const loadVendorServers = async (): Promise<VendorServers> =>
  new Map(
    await Promise.all(
      VENDORS.map(async (name) => {
        const { server }: { server: VendorServer } = await import(`./${name}/server.ts`);
        return [name, server] as const;
      }),
    ),
  );
