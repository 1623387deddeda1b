import { emptyObject, isFunction, isRecord, makeFunction, Refusal } from '../mdx/values.ts';
import type { UserFunction, Value } from '../tree.ts';
import { notAComponent } from './components.ts';

type Hook = (args: Value[]) => Value;

const nothing = makeFunction(() => undefined);
const callOf = (value: Value, args: Value[] = []): Value => (isFunction(value) ? value.call(args) : value);

/** Hooks as they are when a component is first shown: state has its first value, effects have not run. */
const hooks: Readonly<Record<string, Hook>> = {
  useState: ([initial]) => [callOf(initial), nothing],
  useReducer: ([, initial, init]) => [isFunction(init) ? init.call([initial]) : initial, nothing],
  useEffect: () => undefined,
  useLayoutEffect: () => undefined,
  useInsertionEffect: () => undefined,
  useImperativeHandle: () => undefined,
  useDebugValue: () => undefined,
  useRef: ([current]) => reference(current),
  useMemo: ([make]) => callOf(make),
  useCallback: ([callback]) => callback,
  useContext: ([context]) => (isRecord(context) ? context.value : undefined),
  useId: () => '',
  useTransition: () => [false, makeFunction(([action]) => callOf(action))],
  useDeferredValue: ([value]) => value,
};

/** Other functions of React that have a meaning without a browser. */
const plain: Readonly<Record<string, Hook>> = {
  createContext: ([value]) => contextOf(value),
  createRef: () => reference(null),
  memo: ([component]) => component,
  forwardRef: ([component]) => makeFunction(([props]) => callOf(component, [props, null])),
};

function reference(current: Value): Value {
  const value = emptyObject();
  value.current = current ?? null;
  return value;
}

function contextOf(value: Value): Value {
  const context = emptyObject();
  context.value = value;
  const show = notAComponent(
    makeFunction(([props]) => {
      throw new Refusal('client', isRecord(props) ? 'a context has a value in the browser only' : '', 0);
    }),
  );
  context.Provider = show;
  context.Consumer = show;
  return context;
}

/**
 * The object that `React` names; `onHook` is called for each hook, since a component that uses one needs a browser, and
 * `stateOf` may replace the first value of a state.
 */
export function reactObject(
  onHook: () => void,
  stateOf: (initial: Value) => Value,
): { readonly [key: string]: Value } {
  const react = emptyObject();
  for (const [name, hook] of Object.entries(hooks)) {
    react[name] = notAComponent(
      makeFunction((args) => {
        onHook();
        const result = hook(args);
        return name === 'useState' && Array.isArray(result) ? [stateOf(result[0]), result[1]] : result;
      }),
    );
  }
  for (const [name, call] of Object.entries(plain)) react[name] = notAComponent(makeFunction(call));
  return react;
}

/** Specifiers under which React is imported. */
export const reactModules: ReadonlySet<string> = new Set([
  'react',
  'react-dom',
  'react-dom/client',
  'react/jsx-runtime',
  'preact',
  'preact/compat',
  'preact/hooks',
]);

/** Value of an import from React; refused when it is used, where it has a meaning in the browser only. */
export function importReact(
  imported: string,
  react: { readonly [key: string]: Value },
  refused: (name: string) => UserFunction,
): Value {
  if (imported === 'default' || imported === '*') return react as Value;
  return Object.hasOwn(react, imported) ? react[imported] : refused(imported);
}
