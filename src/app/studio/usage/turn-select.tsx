import { useSession } from '../../session-client/session-store.ts';
import { selectEndpoint, useSettings } from '../../stores/settings-store.ts';
import { useTurnChoice } from '../../stores/turn-choice.ts';
import { Select } from '../../ui/select.tsx';

const NEWEST = -1;

/** Chooses the turn that the chunk panel shows. */
export function TurnSelect() {
  const ids = useSession((state) => state.turnIds);
  const chosen = useTurnChoice((state) => state.turn);
  const several = useSettings(selectEndpoint).contexts !== null;
  if (ids.length < 2) return null;
  return (
    <Select
      label="Turn to show"
      quiet
      size="small"
      value={chosen ?? NEWEST}
      onChange={(id) => useTurnChoice.setState({ turn: id === NEWEST ? null : id })}
      options={[
        { value: NEWEST, label: several ? 'All lines' : 'Newest turn' },
        ...ids
          .map((id, index) => ({ value: id, label: several ? `Line ${index + 1}` : `Turn ${index + 1}` }))
          .reverse(),
      ]}
    />
  );
}
