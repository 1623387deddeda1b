// Renders the chart as Helm does, where there is no Helm: Go's own template engine, the functions of sprig, and the few
// that Helm adds. It reads requests from standard input, one JSON object a line, and answers each with one line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v2"
)

type request struct {
	Chart       string   `json:"chart"`
	Values      []string `json:"values"` // YAML texts; later ones win
	Name        string   `json:"name"`
	Namespace   string   `json:"namespace"`
	IsUpgrade   bool     `json:"isUpgrade"`
	APIVersions []string `json:"apiVersions"`
	// Texts to put in the place of files of the chart, or beside them: by path from its folder.
	Overlay map[string]string `json:"overlay"`
}

type answer struct {
	Files  map[string]string      `json:"files,omitempty"`
	Values map[string]interface{} `json:"values,omitempty"`
	Error  string                 `json:"error,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var asked request
		reply := answer{}
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			reply.Error = err.Error()
		} else if files, values, err := render(asked); err != nil {
			reply = answer{Error: err.Error(), Values: values}
		} else {
			reply = answer{Files: files, Values: values}
		}
		if err := out.Encode(reply); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func render(asked request) (map[string]string, map[string]interface{}, error) {
	texts, err := readChart(asked)
	if err != nil {
		return nil, nil, err
	}
	chart, err := parse(texts["Chart.yaml"])
	if err != nil {
		return nil, nil, fmt.Errorf("Chart.yaml: %w", err)
	}
	values := map[string]interface{}{}
	for _, text := range append([]string{texts["values.yaml"]}, asked.Values...) {
		next, err := parse(text)
		if err != nil {
			return nil, nil, fmt.Errorf("values: %w", err)
		}
		values = coalesce(values, next)
	}
	engine := newEngine()
	for _, path := range sorted(texts) {
		if !strings.HasPrefix(path, "templates/") {
			continue
		}
		if _, err := engine.New(path).Parse(texts[path]); err != nil {
			return nil, values, err
		}
	}
	rendered := map[string]string{}
	for _, path := range sorted(texts) {
		base := filepath.Base(path)
		if !strings.HasPrefix(path, "templates/") || strings.HasPrefix(base, "_") {
			continue
		}
		var text strings.Builder
		if err := engine.ExecuteTemplate(&text, path, scope(asked, chart, values, path)); err != nil {
			return nil, values, err
		}
		rendered[path] = text.String()
	}
	return rendered, values, nil
}

// The objects that a template finds, by the names that Helm documents.
func scope(asked request, chart, values map[string]interface{}, path string) map[string]interface{} {
	about := map[string]interface{}{}
	for key, value := range chart {
		name := strings.ToUpper(key[:1]) + key[1:]
		if key == "apiVersion" {
			name = "APIVersion"
		}
		about[name] = value
	}
	return map[string]interface{}{
		"Values": values,
		"Chart":  about,
		"Release": map[string]interface{}{
			"Name": asked.Name, "Namespace": asked.Namespace, "Service": "Helm", "Revision": 1,
			"IsUpgrade": asked.IsUpgrade, "IsInstall": !asked.IsUpgrade,
		},
		"Capabilities": map[string]interface{}{
			"APIVersions": apiVersions(asked.APIVersions),
			"KubeVersion": map[string]interface{}{"Version": "v1.33.0", "Major": "1", "Minor": "33"},
		},
		"Template": map[string]interface{}{"Name": "offprint/" + path, "BasePath": "offprint/templates"},
	}
}

type apiVersions []string

func (versions apiVersions) Has(wanted string) bool {
	for _, version := range versions {
		if version == wanted {
			return true
		}
	}
	return false
}

func newEngine() *template.Template {
	engine := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	// Helm takes these away, so that a chart does not depend on the machine that renders it.
	delete(functions, "env")
	delete(functions, "expandenv")
	delete(functions, "getHostByName")
	depth := map[string]int{}
	functions["include"] = func(name string, data interface{}) (string, error) {
		if depth[name]++; depth[name] > 1000 {
			return "", fmt.Errorf("include %q of itself without end", name)
		}
		defer func() { depth[name]-- }()
		var text strings.Builder
		err := engine.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	functions["fail"] = func(message string) (string, error) { return "", fmt.Errorf("%s", message) }
	functions["toYaml"] = func(value interface{}) string {
		text, err := toYaml(value)
		if err != nil {
			return ""
		}
		return strings.TrimSuffix(text, "\n")
	}
	functions["fromYaml"] = func(text string) map[string]interface{} {
		value, err := parse(text)
		if err != nil {
			return map[string]interface{}{"Error": err.Error()}
		}
		return value
	}
	return engine.Funcs(functions)
}

func readChart(asked request) (map[string]string, error) {
	texts := map[string]string{}
	err := filepath.WalkDir(asked.Chart, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(asked.Chart, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		texts[filepath.ToSlash(name)] = string(text)
		return err
	})
	for name, text := range asked.Overlay {
		texts[name] = text
	}
	return texts, err
}

// YAML by way of JSON, as Helm reads it: keys are texts and numbers are floats.
func parse(text string) (map[string]interface{}, error) {
	var read interface{}
	if err := yaml.UnmarshalStrict([]byte(text), &read); err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(plain(read))
	if err != nil {
		return nil, err
	}
	value := map[string]interface{}{}
	if string(encoded) == "null" {
		return value, nil
	}
	return value, json.Unmarshal(encoded, &value)
}

func toYaml(value interface{}) (string, error) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	var read interface{}
	if err := yaml.Unmarshal(encoded, &read); err != nil {
		return "", err
	}
	text, err := yaml.Marshal(read)
	return string(text), err
}

func plain(value interface{}) interface{} {
	switch known := value.(type) {
	case map[interface{}]interface{}:
		result := map[string]interface{}{}
		for key, item := range known {
			result[fmt.Sprint(key)] = plain(item)
		}
		return result
	case []interface{}:
		result := make([]interface{}, len(known))
		for index, item := range known {
			result[index] = plain(item)
		}
		return result
	default:
		return value
	}
}

// Maps are merged, everything else is replaced; null takes a default away.
func coalesce(under, over map[string]interface{}) map[string]interface{} {
	result := map[string]interface{}{}
	for key, value := range under {
		result[key] = value
	}
	for key, value := range over {
		if value == nil {
			delete(result, key)
			continue
		}
		below, isMap := result[key].(map[string]interface{})
		above, isMapToo := value.(map[string]interface{})
		if isMap && isMapToo {
			result[key] = coalesce(below, above)
		} else {
			result[key] = value
		}
	}
	return result
}

func sorted(texts map[string]string) []string {
	names := make([]string, 0, len(texts))
	for name := range texts {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
