import { count } from '#lib/format.ts';
import type { PricePlan } from '#protocol/core/endpoint.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { Defined } from '../../ui/defined.tsx';
import { Select } from '../../ui/select.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';
import { quotaWords, timesInMonth } from './quota.ts';

const NO_PLAN = '';

/** The session's share of a monthly quota, or its price, for endpoints that report characters and no charge. */
export function PlanQuota({ plans, characters }: { plans: readonly PricePlan[]; characters: number }) {
  const chosen = useSettings((state) => state.plan);
  const plan = plans.find(({ id }) => id === chosen);
  const times = plan ? timesInMonth(plan, characters) : null;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-border px-4 py-2 text-12 wide:px-5">
      <span className="text-text-subtle">
        <Defined definition={DEFINITIONS.plan}>Plan</Defined>
      </span>
      <Select
        label="Plan"
        size="small"
        options={[
          { value: NO_PLAN, label: 'None chosen' },
          ...plans.map(({ id, title }) => ({ value: id, label: title })),
        ]}
        value={plan?.id ?? NO_PLAN}
        onChange={(next) => useSettings.setState({ plan: next })}
        className="w-36"
      />
      {plan && (
        <span className="font-mono text-text-muted">
          {quotaWords(plan, characters)}
          {times !== null && `; this session ${count(times)} times a month`}
        </span>
      )}
      {plan && <span className="min-w-0 break-words text-text-subtle">Source: {plan.source}</span>}
    </div>
  );
}
