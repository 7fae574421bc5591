package io.penstock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import io.smallrye.config.WithParentName;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reference of the configuration names every key, with the default it has, and no key that is not there. */
class ConfigurationReferenceTest {

    /** A row of a table: key, default. */
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(penstock\\.[a-z.-]+)` \\| `([^`]+)` \\|");

    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Z_]+):?([^}]*)}");

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh-CN"})
    void hasEveryKeyWithItsDefault(String language) throws IOException {
        Map<String, String> documented = new TreeMap<>();
        Matcher rows = ROW.matcher(reference(language));
        while (rows.find()) {
            documented.put(rows.group(1), rows.group(2));
        }

        assertEquals(keys(), documented);
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh-CN"})
    void hasEveryVariable(String language) throws IOException {
        String reference = reference(language);

        List<String> missing = variables()
                .filter(name -> !reference.contains("`" + name + "`"))
                .toList();

        assertEquals(List.of(), missing);
    }

    @Test
    void findsTheMappings() throws IOException {
        assertFalse(mappings().isEmpty());
        assertFalse(variables().toList().isEmpty());
    }

    private static String reference(String language) throws IOException {
        return Files.readString(Path.of("docs", language, "reference", "configuration.md"));
    }

    /** Every variable that the settings and the mappings' defaults name. */
    private static Stream<String> variables() throws IOException {
        List<String> texts = new ArrayList<>();
        texts.add(Files.readString(Path.of("src/main/resources/application.properties")));
        mappings().forEach(mapping -> methods(mapping).forEach(method -> texts.add(defaultOf(method))));
        return texts.stream()
                .flatMap(text -> VARIABLE.matcher(text).results())
                .map(found -> found.group(1))
                .distinct();
    }

    private static Map<String, String> keys() {
        Map<String, String> keys = new TreeMap<>();
        for (Class<?> mapping : mappings()) {
            String prefix = mapping.getAnnotation(ConfigMapping.class).prefix();
            methods(mapping)
                    .forEach(method -> keys.put(
                            method.isAnnotationPresent(WithParentName.class) ? prefix : prefix + "." + name(method),
                            VARIABLE.matcher(defaultOf(method)).replaceAll("$2")));
        }
        return keys;
    }

    private static List<Class<?>> mappings() {
        List<Class<?>> mappings = new ArrayList<>();
        new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("io.penstock").stream()
                        .filter(found -> found.isAnnotatedWith(ConfigMapping.class))
                        .map(JavaClass::reflect)
                        .forEach(mappings::add);
        return mappings;
    }

    private static Stream<Method> methods(Class<?> mapping) {
        return Arrays.stream(mapping.getDeclaredMethods())
                .filter(method -> Modifier.isAbstract(method.getModifiers()))
                .peek(method -> requireLeaf(mapping, method));
    }

    /** A nested group would need its keys joined: teach this test before using one. */
    private static void requireLeaf(Class<?> mapping, Method method) {
        if (method.getReturnType().isInterface()
                && method.getReturnType().getPackageName().startsWith("io.penstock")) {
            throw new IllegalStateException(mapping + " has a group: " + method.getName());
        }
    }

    private static String name(Method method) {
        WithName named = method.getAnnotation(WithName.class);
        return named != null
                ? named.value()
                : method.getName().replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }

    private static String defaultOf(Method method) {
        WithDefault given = method.getAnnotation(WithDefault.class);
        return given == null ? "none" : given.value();
    }
}
