import type { EndpointId } from '#protocol/core/endpoint.ts';
import { endpointOf } from '#protocol/registry.ts';
import { unreportedBy } from '#session/measures/unreported.ts';

/** In place of a figure that an endpoint never has. @param by its title */
export const NotReported = ({ by }: { by: string }) => (
  <span title={`${by} does not report it`} className="relative font-sans text-text-subtle">
    <span aria-hidden>not reported</span>
    <span className="sr-only">{by} does not report it</span>
  </span>
);

/** Says of each endpoint what its server never reports. */
export function NotReportedNote({ endpoints }: { endpoints: readonly EndpointId[] }) {
  const missing = [...new Set(endpoints)].flatMap((id) => {
    const { titles } = unreportedBy(id);
    return titles.length === 0 ? [] : { title: endpointOf(id).title, titles };
  });
  if (missing.length === 0) return null;
  return (
    <ul aria-label="Never reported" className="flex flex-col gap-1 py-2 text-12 text-text-muted">
      {missing.map(({ title, titles }) => (
        <li key={title}>
          <span className="font-medium text-text">{title}</span> never reports: {titles.join(', ')}.
        </li>
      ))}
    </ul>
  );
}
