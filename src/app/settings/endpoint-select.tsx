import type { EndpointId } from '#protocol/core/endpoint.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { Select, type SelectProps } from '../ui/select.tsx';

const OPTIONS = PAGE_ENDPOINTS.map(({ id, title, path }) => ({
  value: id,
  label: id,
  hint: `${title} · ${path}`,
}));

export const EndpointSelect = (props: Omit<SelectProps<EndpointId>, 'options' | 'mono'>) => (
  <Select {...props} mono options={OPTIONS} />
);
