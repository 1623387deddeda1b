/** One small diagram of each kind that the library knows, by name. */
export const DIAGRAMS: Readonly<Record<string, string>> = {
  flowchart:
    'flowchart LR\n    A[Start] --> B{Is it?}\n    B -->|Yes| C[OK]\n    C --> D[Rethink]\n    D --> B\n    B ---->|No| E[End]\n    click A href "/plain" "tip"\n    subgraph one\n      C & D\n    end',
  sequence:
    'sequenceDiagram\n    autonumber\n    participant A as Alice\n    actor J as John\n    A->>+J: Hello John, how are you?\n    Note right of J: thinking\n    loop Every minute\n      J-->>A: Great!\n    end\n    J-->>-A: Bye',
  state:
    'stateDiagram-v2\n    [*] --> Still\n    Still --> [*]\n    Still --> Moving\n    Moving --> Still\n    Moving --> Crash\n    state Moving { [*] --> slow\n slow --> fast }\n    Crash --> [*]',
  er: 'erDiagram\n    CUSTOMER ||--o{ ORDER : places\n    ORDER ||--|{ LINE-ITEM : contains\n    CUSTOMER { string name\n string custNumber PK }',
  class:
    'classDiagram\n    Animal <|-- Duck\n    Animal : +int age\n    Animal: +isMammal()\n    class Duck{ +String beakColor\n +swim() }',
  gantt:
    'gantt\n    title A Gantt Diagram\n    dateFormat YYYY-MM-DD\n    section Section\n    A task :a1, 2014-01-01, 30d\n    Another :after a1, 20d\n    section Another\n    Task in Another :crit, 2014-01-12, 12d\n    done one :done, 24d',
  pie: 'pie showData title Pets adopted\n    "Dogs" : 386\n    "Cats" : 85\n    "Rats" : 15',
  mindmap:
    'mindmap\n  root((mindmap))\n    Origins\n      Long history\n    Research\n      On effectiveness\n    Tools\n      Pen and paper\n      Mermaid',
  git: 'gitGraph\n    commit\n    commit\n    branch develop\n    checkout develop\n    commit\n    commit tag:"v1"\n    checkout main\n    merge develop\n    commit',
  architecture:
    'architecture-beta\n    group api(cloud)[API]\n    service db(database)[Database] in api\n    service disk1(disk)[Storage] in api\n    service server(server)[Server] in api\n    db:L -- R:server\n    disk1:T -- B:server',
  elk: "%%{init: {'flowchart': {'defaultRenderer': 'elk'}}}%%\nflowchart LR\n    A[Start] --> B[Process 1]\n    B --> C[Process 2]\n    B --> D[Process 3]\n    C --> E[End]\n    D --> E",
  math: 'flowchart LR\n  A["$$x^2$$"] --> B["$$\\sqrt{x+3}$$"]',
  journey:
    'journey\n    title My working day\n    section Go to work\n      Make tea: 5: Me\n      Go upstairs: 3: Me\n    section Go home\n      Sit down: 5: Me, Cat',
  timeline:
    'timeline\n    title History\n    2002 : LinkedIn\n    2004 : Facebook : Google\n    2005 : YouTube',
  quadrant:
    'quadrantChart\n    title Reach\n    x-axis Low --> High\n    y-axis Low --> High\n    quadrant-1 Expand\n    Campaign A: [0.3, 0.6]',
  xychart:
    'xychart-beta\n    title "Sales"\n    x-axis [jan, feb, mar]\n    y-axis "Revenue" 0 --> 100\n    bar [50, 60, 75]\n    line [50, 60, 75]',
  sankey: 'sankey-beta\n\nA,B,10\nA,C,5\nB,D,8',
  block: 'block-beta\ncolumns 3\n  a b c\n  d:3',
  kanban: 'kanban\n  Todo\n    [Create docs]\n  Done\n    [Ship it]',
  packet: 'packet-beta\n0-15: "Source Port"\n16-31: "Destination Port"\n32-63: "Sequence"',
  radar:
    'radar-beta\n  axis m["Math"], s["Science"], e["English"]\n  curve a["Alice"]{85, 90, 80}\n  max 100',
  treemap: 'treemap-beta\n"Section 1"\n    "Leaf 1.1": 12\n"Section 2"\n    "Leaf 2.1": 20',
  requirement:
    'requirementDiagram\n    requirement test_req {\n    id: 1\n    text: the test text.\n    risk: high\n    verifymethod: test\n    }\n    element test_entity {\n    type: simulation\n    }\n    test_entity - satisfies -> test_req',
  c4: 'C4Context\n    title System Context\n    Person(a, "Customer", "A customer")\n    System(b, "Banking", "Views accounts")\n    Rel(a, b, "Uses")',
};
