import type { Run } from '../mdx/evaluate/run.ts';
import {
  callFunction,
  emptyObject,
  isFunction,
  isRecord,
  makeFunction,
  Refusal,
} from '../mdx/evaluate/values.ts';
import type { UserFunction, Value } from '../tree.ts';
import { notAComponent } from './components.ts';

type Hook = (args: Value[], run: Run) => Value;

const nothing = makeFunction(() => undefined);

/** The result of a function; any other value as it is. */
function resultOf(value: Value, run: Run, args: Value[] = []): Value {
  return isFunction(value) ? callFunction(value, args, run) : value;
}

/** Hooks as they are when a component is first shown: state has its first value, effects have not run. */
const hooks: Readonly<Record<string, Hook>> = {
  useState: ([initial], run) => [stateOf(resultOf(initial, run), run), nothing],
  useReducer: ([, initial, init], run) => [
    isFunction(init) ? callFunction(init, [initial], run) : initial,
    nothing,
  ],
  useEffect: () => undefined,
  useLayoutEffect: () => undefined,
  useInsertionEffect: () => undefined,
  useImperativeHandle: () => undefined,
  useDebugValue: () => undefined,
  useRef: ([current]) => reference(current),
  useMemo: ([make], run) => resultOf(make, run),
  useCallback: ([callback]) => callback,
  useContext: ([context]) => (isRecord(context) ? context.value : undefined),
  useId: () => '',
  useTransition: () => [false, makeFunction(([action], run) => resultOf(action, run))],
  useDeferredValue: ([value]) => value,
};

/** Other functions of React that have a meaning without a browser. */
const plain: Readonly<Record<string, Hook>> = {
  createContext: ([value]) => contextOf(value),
  createRef: () => reference(null),
  memo: ([component]) => component,
  forwardRef: ([component]) => makeFunction(([props], run) => resultOf(component, run, [props, null])),
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

/** The first value of a state, unless another view of the component is searched. */
function stateOf(initial: Value, { branches }: Run): Value {
  return branches?.state(initial) ?? initial;
}

/** What `React` names. A component that uses a hook needs a browser. */
export const react = reactObject();

function reactObject(): { [key: string]: Value } {
  const object = emptyObject();
  for (const [name, hook] of Object.entries(hooks)) {
    const use: Hook = (args, run) => {
      run.needsBrowser = true;
      return hook(args, run);
    };
    object[name] = notAComponent(makeFunction(use));
  }
  for (const [name, call] of Object.entries(plain)) object[name] = notAComponent(makeFunction(call));
  return object;
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
export function importReact(imported: string, refused: (name: string) => UserFunction): Value {
  if (imported === 'default' || imported === '*') return react;
  return Object.hasOwn(react, imported) ? react[imported] : refused(imported);
}
